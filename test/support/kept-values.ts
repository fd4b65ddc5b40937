import { createMemoryStore } from "../../src/store/memory.js";
import type { Store, TenantStore } from "../../src/store/store.js";
import { writeJson } from "./hostile.js";

/** A store in which this value lies wherever one looks: what an older release, a newer one, or a hand has left there. */
export function storeWith(value: unknown): Store {
  const store = createMemoryStore();
  return over(store, {
    tenant: (id: string) => tenantWith(store.tenant(id), value),
    listTenants: async () => [{ id: "acme", name: "Acme", createdAt: "2026-11-30T00:00:00Z" }],
    findHandle: async () => ({ tenant: "acme", value: writeJson(value) }),
  });
}

export function tenantWith(tenant: TenantStore, value: unknown): TenantStore {
  return over(tenant, {
    getDocument: async () => ({ version: 1, value }),
    listDocuments: async () => [{ id: "x", version: 1, value }],
    recall: async () => value,
    notes: async () => [value],
    saveDocument: async () => 2,
    claim: async () => true,
    remember: async () => {},
    forget: async () => {},
  });
}

/** The same, but for these. */
function over<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(of, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof T];
      const own: unknown = Reflect.get(of, name, of);
      return typeof own === "function" ? own.bind(of) : own;
    },
  });
}
