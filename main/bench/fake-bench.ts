import type { CallContext, Caller } from "../contract/bench-verbs.ts";
import type { BenchErrorShape } from "../contract/error-codes.ts";
import { BenchError } from "../contract/error-codes.ts";
import { type BenchEvent, type BenchEventOf, type BenchEventType, benchEventSchema } from "../contract/events.ts";
import { TOOLS, type ToolInput, type ToolName, type ToolOutput } from "../contract/tools.ts";
import type { BenchSession, BenchSessionOptions } from "./bench-session.ts";
import { createCanary } from "./canary.ts";
import { FAKE_WAVELENGTH_NM, FakeCamera, FakeShutter, FakeStage, TestClock } from "./fake-instruments.ts";
import { createBenchSession } from "./session.ts";

export const AGENT: Caller = { kind: "agent", name: "agent", id: "a" };
export const OTHER: Caller = { kind: "agent", name: "other", id: "b" };
export const OPERATOR: Caller = { kind: "operator", name: "operator", id: "o" };

type Input<Name extends ToolName> = Omit<ToolInput<Name>, "run" | "reason"> & { reason?: string };

export interface FakeBench {
  readonly session: BenchSession;
  readonly events: BenchEvent[];
  readonly clock: TestClock;
  readonly hostClock: TestClock;
  readonly stage: FakeStage;
  readonly camera: FakeCamera;
  readonly shutter: FakeShutter;
  readonly code: (seq: number) => string;
  /** Calls a verb with handle and reason filled in; the answer has passed the tool's schema. */
  call<Name extends ToolName>(name: Name, input: Input<Name>, by?: Caller | CallContext): Promise<ToolOutput<Name>>;
  /** The refusal of a verb that must refuse. */
  refusal<Name extends ToolName>(name: Name, input: Input<Name>, by?: Caller | CallContext): Promise<BenchErrorShape>;
  of<Type extends BenchEventType>(type: Type): BenchEventOf<Type>[];
}

interface Choices {
  readonly options?: Partial<BenchSessionOptions>;
  readonly free?: boolean;
  readonly withShutter?: boolean;
  readonly prepare?: (bench: Pick<FakeBench, "stage" | "camera" | "shutter">) => void;
}

/** A session on fake instruments whose every event is checked against its schema. */
export async function createFakeBench(choices: Choices = {}): Promise<FakeBench> {
  const clock = new TestClock(choices.free ?? true);
  const hostClock = new TestClock(false);
  const stage = new FakeStage(clock);
  const shutter = new FakeShutter();
  const camera = new FakeCamera(clock, stage, shutter);
  choices.prepare?.({ stage, camera, shutter });
  const events: BenchEvent[] = [];
  const code = createCanary("test");
  const session = await createBenchSession({
    bench: "bench-1",
    instruments: { stage, camera, ...(choices.withShutter === false ? {} : { shutter }) },
    wavelength_nm: FAKE_WAVELENGTH_NM,
    clock,
    hostClock,
    journal: {
      append(event) {
        benchEventSchema.parse(event);
        // What JSON cannot say would be lost on the way to a file.
        events.push(JSON.parse(JSON.stringify(event)) as BenchEvent);
      },
    },
    newHandle: () => "secret-handle",
    canary: code,
    ...choices.options,
  });
  const call = async <Name extends ToolName>(
    name: Name,
    input: Input<Name>,
    by: Caller | CallContext = AGENT,
  ): Promise<ToolOutput<Name>> => {
    const context = "caller" in by ? by : { caller: by };
    const shape = TOOLS[name].input.shape as Record<string, unknown>;
    const whole = {
      ...("run" in shape ? { run: session.handle } : {}),
      ...("reason" in shape ? { reason: "because" } : {}),
      ...input,
    };
    const verb = session.verbs[name] as unknown as (input: unknown, context: CallContext) => Promise<unknown>;
    const output = await verb(whole, context);
    return TOOLS[name].output.parse(output) as ToolOutput<Name>;
  };
  return {
    session,
    events,
    clock,
    hostClock,
    stage,
    camera,
    shutter,
    code,
    call,
    async refusal(name, input, by) {
      try {
        await call(name, input, by);
      } catch (error) {
        if (error instanceof BenchError) return error.toWire();
        throw error;
      }
      throw new Error(`${name} did not refuse`);
    },
    of<Type extends BenchEventType>(type: Type) {
      return events.filter((event): event is BenchEventOf<Type> => event.type === type);
    },
  };
}
