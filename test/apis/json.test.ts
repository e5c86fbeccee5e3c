import { describe, expect, it } from "vitest";
import { parseJson, UnreadableJson } from "../../src/apis/json.ts";
import { assert, jsonValue, nat, property, string } from "../support/property.ts";

const nested = (inner: string, depth: number) => "[".repeat(depth) + inner + "]".repeat(depth);

function isRead(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof UnreadableJson) return false;
    throw error;
  }
}

describe("JSON", () => {
  it("is read as it is, whatever texts it holds", () => {
    assert(
      property(jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is refused beyond 64 levels, whatever texts stand before them", () => {
    const texts = string({ unit: "binary" });
    assert(
      property(texts, nat(90), (text, depth) => {
        const json = `[${JSON.stringify(`${text}\\"]`)}, ${nested(JSON.stringify(text), depth)}]`;
        expect(isRead(json)).toBe(depth < 64);
      }),
    );
  });

  it.each(['["', '["\\', '"\\\\\\"', "[[", "]", "{}}", "\u0000", "nul"])("that is none is refused: %j", (text) => {
    expect(() => parseJson(text)).toThrow(new UnreadableJson("text that is not JSON"));
  });

  it("is judged in a moment, however many quotation marks and backslashes it holds", () => {
    for (const part of ['"', "\\", '\\"', '"\\"', '"",']) {
      expect(() => parseJson(`["${part.repeat(1_000_000)}`)).toThrow(UnreadableJson);
    }
  });
});
