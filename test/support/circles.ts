/**
 * Finds the circles of a directed graph: its strongly connected components of two nodes and more (Tarjan 1972), each with its
 * nodes in alphabetical order. Every node of such a circle reaches every other.
 */
export function circlesOf(edges: ReadonlyMap<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  /** Answers the earliest node, by its place in the order of visits, that this one reaches and whose circle is still open. */
  function visit(node: string): number {
    const own = order.size;
    let earliest = own;
    order.set(node, own);
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) earliest = Math.min(earliest, visit(next));
      else if (open.includes(next)) earliest = Math.min(earliest, seen);
    }
    if (earliest < own) return earliest;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.toSorted());
    return earliest;
  }

  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;
}
