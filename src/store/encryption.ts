import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** The way secrets are kept: nobody reads them, or passes one off as another, with the store's file alone. */
interface Encryption {
  /** Encrypts a text with the first key for one place, such as the key of its record: it can be decrypted there only. */
  encrypt: (text: string, place: string) => string;
  /** Decrypts what was encrypted for this place; throws an EncryptionError if no key fits or it was changed. */
  decrypt: (encrypted: string, place: string) => string;
  /** True if it was encrypted with the first key. */
  isCurrent: (encrypted: string) => boolean;
}

/** Something encrypted cannot be read; the message tells an operator why, and holds no secret. */
export class EncryptionError extends Error {
  override readonly name = "EncryptionError";
}

const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "aes-256-gcm";

/** Names a key without saying anything of it. */
const keyIdOf = (key: Buffer): string => createHash("sha256").update(key).digest("base64url").slice(0, 8);

/** AES-256-GCM. The first key encrypts and all of them decrypt, so that a new one can be put before the old. */
export function createEncryption(keys: readonly Buffer[]): Encryption {
  const named = keys.map((key) => ({ key, id: keyIdOf(key) }));
  const [current] = named;
  if (!current) throw new EncryptionError("There is no key to encrypt with.");
  return {
    encrypt(text, place) {
      const { key, id } = current;
      // Random: a key would have to encrypt billions of texts before two of them share one.
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
      const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${id}.${body.toString("base64url")}`;
    },
    decrypt(encrypted, place) {
      const [id, body = ""] = encrypted.split(".");
      const found = named.find((each) => each.id === id);
      if (!found) throw new EncryptionError("it was encrypted with another key");
      const bytes = Buffer.from(body, "base64url");
      try {
        const nonce = bytes.subarray(0, nonceBytes);
        const decipher = createDecipheriv(algorithm, found.key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(-tagBytes));
        return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
      } catch {
        throw new EncryptionError("it was changed, or belongs to another record");
      }
    },
    isCurrent: (encrypted) => encrypted.startsWith(`${current.id}.`),
  };
}
