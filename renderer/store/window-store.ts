import { create } from "zustand";
import type { FrameHeader } from "../../main/contract/window-frame.ts";
import type { CausticDrawing, KeptAs, Overview } from "../../main/contract/window-verbs.ts";
import type { ConnectionState } from "../host/connection.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import { EMPTY_RUN, type RunState } from "./run-state.ts";

export const VIEWS = ["bench", "caustic", "agent", "evaluation", "runs", "instruments"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Something that the window tells the person. Refusals stay until they are closed, the rest goes by itself. */
export interface Message {
  readonly id: number;
  readonly tone: "good" | "warning" | "bad";
  readonly text: string;
  readonly hint?: string;
}

/** A run as the window follows it. */
export interface FollowedRun {
  readonly source: string;
  /** Known as soon as the host has said so, and also after the run was closed. */
  readonly kept: KeptAs | undefined;
  readonly events: readonly BenchEvent[];
  readonly state: RunState;
  /** Further events are on their way. */
  readonly loading: boolean;
  readonly caustic: CausticDrawing | undefined;
}

export const noRun = (source: string): FollowedRun => ({
  source,
  kept: undefined,
  events: [],
  state: EMPTY_RUN,
  loading: true,
  caustic: undefined,
});

export interface WindowState {
  readonly connection: ConnectionState;
  readonly overview: Overview | undefined;
  readonly view: ViewName;
  /** Handle of the open run that the window looks at. */
  readonly run: string | undefined;
  readonly followed: FollowedRun | undefined;
  /** Where the stage is while it moves, which no event says. */
  readonly stage: { readonly z_mm: number; readonly target_mm: number } | undefined;
  readonly work: { readonly tool: string; readonly fraction: number; readonly message: string } | undefined;
  /** Header of the newest live frame, a few times a second. */
  readonly live: FrameHeader | undefined;
  /** Live frames stand still. */
  readonly frozen: boolean;
  /** The measurement that plot, table and frame show together. */
  readonly selected: string | undefined;
  /** Whether this window drives the run it looks at; undefined until the host has said so. */
  readonly yours: boolean | undefined;
  readonly messages: readonly Message[];
  readonly tour: number | undefined;
  readonly help: boolean;
}

export const useWindow = create<WindowState>()(() => ({
  connection: { kind: "connecting" },
  overview: undefined,
  view: "bench",
  run: undefined,
  followed: undefined,
  stage: undefined,
  work: undefined,
  live: undefined,
  frozen: false,
  selected: undefined,
  yours: undefined,
  messages: [],
  tour: undefined,
  help: false,
}));
