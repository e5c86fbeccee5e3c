import { render } from "preact";
import type { ContainerNode, VNode } from "preact";
import { vi } from "vitest";

const ELEMENT = 1;
const TEXT = 3;

/** The few parts of a DOM node that drawing for the first time needs; `tag` is empty for a text. */
export class Drawn implements ContainerNode {
  readonly tag: string;
  readonly nodeType: number;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly attributes = new Map<string, string>();
  data = "";
  parentNode: Drawn | null = null;
  childNodes: Drawn[] = [];

  constructor(tag: string, data = "") {
    this.tag = tag;
    this.data = data;
    this.nodeType = tag === "" ? TEXT : ELEMENT;
  }

  get firstChild(): Drawn | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): Drawn | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  contains(other: ContainerNode | null): boolean {
    return other === this || this.childNodes.some((child) => child.contains(other));
  }

  insertBefore(node: ContainerNode, before: ContainerNode | null): ContainerNode {
    if (!(node instanceof Drawn)) throw new Error("a node of another document");
    node.parentNode?.removeChild(node);
    const at = before instanceof Drawn ? this.childNodes.indexOf(before) : -1;
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }

  appendChild(node: ContainerNode): ContainerNode {
    return this.insertBefore(node, null);
  }

  removeChild(child: ContainerNode): ContainerNode {
    this.childNodes = this.childNodes.filter((other) => other !== child);
    return child;
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  readonly style = { setProperty() {} };

  addEventListener(): void {}
}

const standIn = {
  createElementNS: (_: string, tag: string) => new Drawn(tag),
  createTextNode: (text: string) => new Drawn("", text),
};

/** Nothing drawn here is ever shown, so nothing changes its size. */
class StillObserver {
  observe(): void {}
  disconnect(): void {}
}

/** Draws a component as the page would and returns what stands in the document then. */
export function paint(vnode: VNode): Drawn {
  vi.stubGlobal("document", standIn);
  vi.stubGlobal("ResizeObserver", StillObserver);
  try {
    const root = new Drawn("main");
    render(vnode, root);
    return root;
  } finally {
    vi.unstubAllGlobals();
  }
}

/** A drawn node and everything in it, from the top. */
export function everyNode(node: Drawn): Drawn[] {
  return [node, ...node.childNodes.flatMap(everyNode)];
}

/** The elements of a kind. */
export function every(node: Drawn, tag: string): Drawn[] {
  return everyNode(node).filter((other) => other.tag === tag);
}

/** What a reader sees of a drawn node. */
export function visible(node: Drawn): string {
  return node.data + node.childNodes.map(visible).join("");
}
