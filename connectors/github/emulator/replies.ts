import type { Request, Response } from "express";

/** Answers as GitHub words and pages them. */

/** One fault of a 422. */
export interface RestFault {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
}

/** One page of `rows`, with the `Link` header that leads to the others. */
export function sendPage(request: Request, response: Response, rows: readonly unknown[]): void {
  const perPage = Math.min(100, Math.max(1, Number(request.query.per_page) || 30));
  const page = Math.max(1, Number(request.query.page) || 1);
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  const to = (number: number, rel: string) => {
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get("host")}`);
    url.searchParams.set("page", String(number));
    return `<${url}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page > 1) links.push(to(page - 1, "prev"), to(1, "first"));
  if (page < last) links.push(to(page + 1, "next"), to(last, "last"));
  if (links.length > 0) response.setHeader("link", links.join(", "));
  response.json(rows.slice((page - 1) * perPage, page * perPage));
}

export function problem(response: Response, status: number, message: string): void {
  const documentation_url = "https://docs.github.com/rest";
  response.status(status).json({ message, documentation_url, status: String(status) });
}

export function notFound(response: Response): void {
  problem(response, 404, "Not Found");
}

export function invalid(response: Response, errors: readonly RestFault[]): void {
  const documentation_url = "https://docs.github.com/rest/pulls/pulls#create-a-pull-request";
  response.status(422).json({ message: "Validation Failed", errors, documentation_url, status: "422" });
}
