/** One of several that work on the same place. */
export interface Turn {
  /** Whether none began after it; what an earlier one comes to is out of date. */
  isLatest(): boolean;
  end(): void;
}

/** Begins turns, by the place that they work on. */
export type Turns = (place: string) => Turn;

/** Knows the latest turn of each place until it ends. */
export function createTurns(): Turns {
  const latest = new Map<string, symbol>();
  return (place) => {
    const turn = Symbol(place);
    latest.set(place, turn);
    const isLatest = () => latest.get(place) === turn;
    return {
      isLatest,
      end() {
        if (isLatest()) latest.delete(place);
      },
    };
  };
}
