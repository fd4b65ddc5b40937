import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Category, Problem } from "./shapes.js";

/** Small parts of which the screens are made. */

/** The heading takes the focus when its screen is opened, so that a screen reader begins there. */
export function Screen({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: string;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Boardwalk`;
  }, [title]);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {children}
    </>
  );
}

export function Fault({ error }: { error: Error | string | undefined }) {
  return (
    <div role="alert">
      {error === undefined ? null : (
        <p class="note bad">{typeof error === "string" ? error : error.message}</p>
      )}
    </div>
  );
}

export function Problems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems">
      {problems.map(({ code, message, fix }) => (
        <li key={code + message} class="note warn">
          <strong>{message}</strong> {fix}
        </li>
      ))}
    </ul>
  );
}

export function Waiting({ what }: { what: string }) {
  return <p class="quiet">Reading {what} …</p>;
}

const CATEGORIES: Readonly<Record<Category, string>> = {
  todo: "to do",
  doing: "under way",
  done: "done",
  canceled: "canceled",
  unknown: "unknown",
};

export function categoryName(category: Category): string {
  return CATEGORIES[category] ?? category;
}

export function StatusTag({ name, category }: { name: string; category: Category }) {
  return (
    <span class={`tag ${category}`}>
      <span class="dot" aria-hidden="true" />
      {name}
    </span>
  );
}

export function When({ at }: { at: string }) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {today ? date.toLocaleTimeString() : date.toLocaleString()}
    </time>
  );
}

interface FieldProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "label"> {
  readonly label: string;
  readonly hint?: string | undefined;
}

export function TextField({ label, hint, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...input} />
      {hint === undefined ? null : <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  onChange(value: string): void;
}

export function SelectField({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, words]) => (
          <option key={each} value={each} selected={each === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Says how much has come that is not shown yet; its place is kept, so that nothing moves when it comes. */
export function Fresh({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <span class="fresh" role="status">
      {count === 0 ? null : (
        <button type="button" class="chip" onClick={onShow}>
          Show {count} new
        </button>
      )}
    </span>
  );
}

/** Only where the browser lets a page write to the clipboard: not over plain HTTP. */
export function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="plain" onClick={copy}>
      {copied ? "Copied" : "Copy"}
    </button>
  );
}

/** The words of a form, by the names of its fields; empty ones are left out. */
export function wordsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

export function onSubmit(act: (form: HTMLFormElement) => unknown) {
  return (event: JSX.TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    act(event.currentTarget);
  };
}
