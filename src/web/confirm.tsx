import { useEffect, useRef, useState } from "preact/hooks";

/** Asks before something is taken away for good. */

interface Asked {
  readonly question: string;
  /** What the button says that does it. */
  readonly action: string;
  answer(yes: boolean): void;
}

/** `ask` resolves when she has answered; `dialog` has to be somewhere on the screen. */
export function useConfirm() {
  const [asked, setAsked] = useState<Asked>();
  const ask = (question: string, action: string) =>
    new Promise<boolean>((resolve) => {
      const answer = (yes: boolean) => {
        setAsked(undefined);
        resolve(yes);
      };
      setAsked({ question, action, answer });
    });
  return { ask, dialog: asked === undefined ? null : <Confirm {...asked} /> };
}

function Confirm({ question, action, answer }: Asked) {
  const dialog = useRef<HTMLDialogElement>(null);
  // What had the focus gets it back by itself when the dialog is closed.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="card"
      aria-label={question}
      onClose={() => answer(dialog.current?.returnValue === "yes")}
    >
      <form method="dialog">
        <p>{question}</p>
        <p class="row">
          <button type="submit" value="no" class="plain">
            Cancel
          </button>
          <button type="submit" value="yes" class="danger">
            {action}
          </button>
        </p>
      </form>
    </dialog>
  );
}
