/** A browser as far as signing in needs one: cookies, redirects, and a form that is filled in. */
export interface Browser {
  /** Opens an address and follows redirects for as long as they stay on that host. */
  open(url: string): Promise<Page>;
  /** Sends the form of a page. @returns the page that follows, or where it leads outside. */
  submit(page: Page, fields: Readonly<Record<string, string>>): Promise<Page>;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it sends the browser, when that is another host's. */
  readonly leadsTo?: URL;
}

export function openBrowser(): Browser {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>();

  function keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const at = pair.indexOf("=");
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? url.pathname;
      const gone = value === "" || attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
      if (gone) cookies.delete(`${name} ${path}`);
      else cookies.set(`${name} ${path}`, { value, path });
    }
  }

  function cookieHeader(url: URL): string {
    return [...cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(" ")[0]}=${value}`)
      .join("; ");
  }

  async function visit(to: string, init: RequestInit = {}): Promise<Page> {
    let url = new URL(to);
    let next: RequestInit = init;
    for (let hops = 0; hops < 10; hops++) {
      const headers = { ...(next.headers as Record<string, string> | undefined), cookie: cookieHeader(url) };
      const response = await fetch(url, { ...next, headers, redirect: "manual" });
      keep(response, url);
      const location = response.headers.get("location");
      const page = { url: url.href, status: response.status, headers: response.headers };
      if (location === null) return { ...page, text: await response.text() };
      const target = new URL(location, url);
      if (target.origin !== url.origin) return { ...page, text: "", leadsTo: target };
      [url, next] = [target, {}];
    }
    throw new Error(`Too many redirects from ${to}.`);
  }

  return {
    open: (url) => visit(url),
    submit: (page, fields) =>
      visit(page.url, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

/** The whole sign-in of somebody with a pairing code: what the client gets at its redirect address. */
export async function signIn(
  authorizeUrl: string,
  code: string,
  browser = openBrowser(),
): Promise<URLSearchParams> {
  const page = await browser.open(authorizeUrl);
  if (page.leadsTo !== undefined) return page.leadsTo.searchParams;
  const after = await browser.submit(page, { code, answer: "allow" });
  if (after.leadsTo === undefined)
    throw new Error(`The sign-in went nowhere (${after.status}): ${after.text}`);
  return after.leadsTo.searchParams;
}
