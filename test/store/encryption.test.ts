import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { EncryptionError, createEncryption } from "../../src/store/encryption.ts";

const [older, newer] = [randomBytes(32), randomBytes(32)];

describe("encryption", () => {
  it("gives the text back at its own place, and looks different each time", () => {
    const { encrypt, decrypt } = createEncryption([newer]);
    const [one, other] = [encrypt("xoxb-1 ü", "T1"), encrypt("xoxb-1 ü", "T1")];
    expect([decrypt(one, "T1"), decrypt(other, "T1")]).toEqual(["xoxb-1 ü", "xoxb-1 ü"]);
    expect(one).not.toBe(other);
    expect(one).not.toContain("xoxb");
  });

  it("cannot be read at another place, with another key or once it was changed", () => {
    const { encrypt, decrypt } = createEncryption([newer]);
    const encrypted = encrypt("xoxb-1", "T1");
    const changed = `${encrypted.slice(0, -2)}${encrypted.endsWith("AA") ? "BB" : "AA"}`;
    const [id] = encrypted.split(".");
    expect(() => decrypt(encrypted, "T2")).toThrow(EncryptionError);
    expect(() => createEncryption([older]).decrypt(encrypted, "T1")).toThrow(EncryptionError);
    for (const bad of [changed, "", "x", `${id}.`, `${id}.AAAA`]) {
      expect(() => decrypt(bad, "T1")).toThrow(EncryptionError);
    }
  });

  it("encrypts with the first of several keys and decrypts with all", () => {
    const before = createEncryption([older]);
    const after = createEncryption([newer, older]);
    const encrypted = before.encrypt("xoxb-1", "T1");
    expect(after.decrypt(encrypted, "T1")).toBe("xoxb-1");
    expect([after.isCurrent(encrypted), after.isCurrent(after.encrypt("xoxb-1", "T1"))]).toEqual([false, true]);
  });
});
