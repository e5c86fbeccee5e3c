/** What a service lists as prominent now, whichever service it came from; a figure that it does not give is missing. */
export interface Trend {
  name: string;
  /** The type's display name. */
  type: string;
  mentions: number;
  average?: number | undefined;
  score?: number | undefined;
}
