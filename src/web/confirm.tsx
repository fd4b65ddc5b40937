import { useEffect, useRef, useState } from "preact/hooks";

/** Asks before something is taken away for good. */

interface Asked {
  readonly question: string;
  /** What the button says that does it. */
  readonly action: string;
  act(): unknown;
}

/**
 * `ask` has the thing done once she agrees; `dialog` has to be somewhere on the screen. Nothing is busy meanwhile: what
 * had the focus gets it back, which a button that may not be pressed could not.
 */
export function useConfirm() {
  const [asked, setAsked] = useState<Asked>();
  const answer = (yes: boolean) => {
    setAsked(undefined);
    if (yes) asked?.act();
  };
  return {
    ask: (question: string, action: string, act: () => unknown) => setAsked({ question, action, act }),
    dialog: asked === undefined ? null : <Confirm {...asked} onAnswer={answer} />,
  };
}

function Confirm({ question, action, onAnswer }: Asked & { onAnswer(yes: boolean): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Not before it is drawn: the Enter that asked for it would answer it too.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={question}
      onClose={() => onAnswer(dialog.current?.returnValue === "yes")}
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
