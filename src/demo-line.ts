/** The demo's line of DESIGN section 9. */
export interface DemoLine {
  readonly url: string;
  readonly admin: { readonly url: string; readonly token: string };
  readonly tenants: readonly DemoTenant[];
}

export interface DemoTenant {
  readonly id: string;
  readonly mcpUrl: string;
  readonly token: string;
  readonly connections: readonly {
    readonly id: string;
    readonly provider: string;
    readonly boardUrl: string;
    readonly authorization: string;
  }[];
  readonly vcs: {
    readonly provider: string;
    readonly url: string;
    readonly repo: string;
    readonly authorization: string;
  };
}
