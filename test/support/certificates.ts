import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] as const;

/** Files of a server's key and certificate, and of the authority that signed it, which nobody knows. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** For `localhost` and 127.0.0.1, made with openssl in this directory. */
export async function makeCertificates(dir: string): Promise<Certificates> {
  const at = (name: string) => join(dir, name);
  const made = { authority: at("ca.pem"), certificate: at("server.pem"), key: at("server.key") };
  const authority = ["-keyout", at("ca.key"), "-out", made.authority, "-subj", "/CN=Nobody", "-days", "2"];
  await run("openssl", ["req", "-x509", ...KEY, ...authority]);
  await run("openssl", ["req", ...KEY, "-keyout", made.key, "-out", at("server.csr"), "-subj", "/CN=redis"]);
  writeFileSync(at("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  const signer = ["-CA", made.authority, "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2"];
  const request = ["-in", at("server.csr"), "-out", made.certificate, "-extfile", at("names")];
  await run("openssl", ["x509", "-req", ...request, ...signer]);
  return made;
}
