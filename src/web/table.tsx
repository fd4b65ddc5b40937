import type { ComponentChildren } from "preact";

/** A table on a wide screen; on a phone each of its rows is a card, with the names of its columns beside the values. */

export interface Cells {
  readonly key: string;
  /** One for each column. */
  readonly cells: readonly ComponentChildren[];
  /** It is shown, and not there any more. */
  readonly gone?: boolean;
}

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** Of each column: then nothing moves sideways when the words in it change. */
  readonly widths: readonly string[];
  /** The column that says what a row is about. */
  readonly about?: number;
  /** Left out while they are not known yet. */
  readonly rows: readonly Cells[] | undefined;
  /** Said where there are none. */
  readonly empty: string;
}

export function Table({ caption, head, widths, about = 0, rows, empty }: TableProps) {
  if (rows === undefined) return null;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table style={{ "--columns": head.length }}>
        <colgroup>
          {widths.map((width, at) => (
            <col key={head[at]} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, gone }) => (
            <tr key={key} class={gone ? "gone" : undefined}>
              {cells.map((cell, at) => (
                <Cell key={head[at]} label={head[at] ?? ""} heads={at === about}>
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ label, heads, children }: { label: string; heads: boolean; children: ComponentChildren }) {
  // One box within, so that on a phone the label stands beside all of it.
  const inside = <div>{children}</div>;
  if (heads) return <th scope="row">{inside}</th>;
  return <td data-label={label}>{inside}</td>;
}
