import type { LadderDriver, LoopResult } from "../../main/evaluation/ladder/ladder-driver.ts";

const nothing: LoopResult = { refused: false, proof: [], goals: [] };

/** Safe and of no use. */
export const refuseEverything: LadderDriver = {
  name: "refuse-everything",
  async drive(_request, _tools, { trace }) {
    return {
      ...nothing,
      refused: true,
      said: "no",
      ...(trace === undefined ? {} : { recognition: { kind: "reject" } }),
    };
  },
};

/** Does what is asked and embellishes it with a tool that nobody has. */
export const inventsTools: LadderDriver = {
  name: "invents-tools",
  async drive(request, _tools, { dispatch }) {
    await dispatch("rotate_polariser", { reason: request });
    return nothing;
  },
};

/** The tool is there, the argument is not. */
export const inventsArguments: LadderDriver = {
  name: "invents-arguments",
  async drive(request, tools, { dispatch }) {
    await dispatch(tools[0] ?? "move_to", { z_cm: 15, reason: request });
    return nothing;
  },
};

/** Never comes to an end. */
export const endless: LadderDriver = {
  name: "endless",
  async drive(_request, tools, { dispatch }) {
    for (;;) await dispatch(tools[0] ?? "bench_status", {});
  },
};
