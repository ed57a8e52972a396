import type { Verdict } from "../../../contract/vocabulary.ts";
import { ends, type Fact, fact, factName } from "../fact.ts";
import type {
  DispatchAnswer,
  DriverContext,
  LadderCall,
  LadderDriver,
  LoopResult,
  ProofStep,
} from "../ladder-driver.ts";
import type { Capability, ToolInputs } from "../registry.ts";
import { Knowledge } from "./knowledge.ts";
import { NotUnderstood, readRequest } from "./read-request.ts";
import { recogniseGoal } from "./recognise-goal.ts";
import { Refused } from "./refused.ts";
import { measurementReadings, placeNeeds, placeReadings, type Spoken, timeReadings } from "./resolve.ts";
import type { Condition, PlacePhrase, TimePhrase, Topic, Wish } from "./wish.ts";

/** The same call is made this often when an instrument fails. */
const ATTEMPTS = 3;
/** A search for a usable exposure ends after this many frames. */
const EXPOSURES = 8;
/** Positions that a first look at an unknown beam takes, as shares of the travel. */
const FIRST_LOOK = [0.3, 0.42, 0.52, 0.62, 0.74];
/** Places that are suggested and measured at a time, and how often. */
const SUGGESTED = 10;
const ROUNDS = 4;
/** Share of full scale that an exposure aims at. */
const AIM = 0.6;
/** By this much a saturated exposure is cut, since its peak is not known. */
const CUT = 0.2;

/**
 * A driver that deduces its calls: it reads the words, looks up what they speak of in the state of the bench, and reaches what is asked by
 * the preconditions and effects of the registry alone. It knows no case. Whatever it does not understand to the last word, it refuses.
 */
export const plannerDriver: LadderDriver = {
  name: "planner",
  async drive(request, tools, context) {
    if (context.trace !== undefined) {
      const recognition = recogniseGoal(context.trace, context.goals ?? []);
      return { refused: recognition.kind !== "goal", recognition, proof: [], goals: [] };
    }
    return new Planner(request, tools, context).run();
  },
};

class Planner {
  readonly #request: string;
  readonly #tools: readonly string[];
  readonly #context: DriverContext;
  readonly #known: Knowledge;
  readonly #proof: ProofStep[] = [];
  readonly #goals = new Set<Fact>();
  /** All readings of a request that was done in each of them. */
  #readings: LadderCall[] = [];
  #spoken: Spoken = { places_mm: [] };
  /** Calls that failed or decided something and have not led to another call yet. */
  #pending: number[] = [];
  /** The latest measurement's call and how it was made. */
  #latest: { readonly call: number; readonly input: ToolInputs } | undefined;
  /** A budget is used up: what needs it is left undone. */
  #spent = false;

  constructor(request: string, tools: readonly string[], context: DriverContext) {
    this.#request = request;
    this.#tools = tools;
    this.#context = context;
    this.#known = new Knowledge(context);
  }

  async run(): Promise<LoopResult> {
    try {
      const wishes = readRequest(this.#request);
      for (const wish of wishes) this.#checkFirst(wish);
      for (const wish of wishes) await this.#fulfil(wish);
    } catch (error) {
      if (error instanceof Refused) {
        const { message, candidates } = error;
        return { ...this.#result(true), said: message, ...(candidates === undefined ? {} : { candidates }) };
      }
      if (error instanceof NotUnderstood) return { ...this.#result(true), said: error.message };
      throw error;
    }
    return { ...this.#result(false), ...(this.#readings.length === 0 ? {} : { candidates: this.#readings }) };
  }

  #result(refused: boolean): LoopResult {
    return { refused, proof: this.#proof, goals: [...this.#goals] };
  }

  // What cannot be done is refused before anything is done.

  /** Refuses a wish for which no tool is declared, or whose literal values the bench's limits forbid. */
  #checkFirst(wish: Wish): void {
    const needed = TOOL_OF[wish.do];
    if (needed !== undefined && !this.#tools.includes(needed)) throw new Refused(`${needed} is not declared`);
    if (wish.do === "if") for (const one of [...wish.then, ...wish.otherwise]) this.#checkFirst(one);
    if (wish.do === "have") for (const one of wish.wishes) this.#checkFirst(one);
    const places = wish.do === "go" ? [wish.place] : wish.do === "measure" ? wish.places : [];
    for (const place of places) if (place.kind === "mm") this.#checkLimits(fact("reachable", place.z_mm));
    const time = wish.do === "expose" || wish.do === "darks" || wish.do === "measure" ? wish.time : undefined;
    if (time?.kind === "ms") this.#checkLimits(fact("exposable", time.exposure_ms));
    const which =
      wish.do === "reject" || wish.do === "restore" ? wish.which : wish.do === "fit" ? wish.without : undefined;
    if (which?.kind === "id") measurementReadings(which, this.#known, this.#spoken);
  }

  #checkLimits(one: Fact): void {
    if (!this.#known.holds(one)) throw new Refused(`the bench's limits do not allow ${one}`);
  }

  // Wishes.

  async #fulfil(wish: Wish): Promise<void> {
    switch (wish.do) {
      case "status":
        return this.#reach("bench_status", {});
      case "go":
        return this.#go(wish.place);
      case "expose":
        return this.#expose(wish.time);
      case "darks":
        return this.#darks(wish.time, wish.frames);
      case "measure":
        return this.#measure(wish);
      case "scale":
        return this.#scale(wish.factor, wish.flag);
      case "reject":
        return this.#use("reject_measurement", wish);
      case "restore":
        return this.#use("restore_measurement", wish);
      case "fit":
        return this.#fit(wish);
      case "estimate":
        return this.#estimate(wish.places);
      case "suggest":
        return this.#reach("suggest_positions", { count: wish.count });
      case "finish":
        return this.#finish(wish.verdict, wish.explanation);
      case "determine":
        return this.#aim("determined");
      case "keep":
        return this.#keep(wish.ids);
      case "set":
        return this.#set(wish.value);
      case "have":
        return this.#have(wish.wishes);
      case "if":
        for (const one of (await this.#isSo(wish.condition)) ? wish.then : wish.otherwise) await this.#fulfil(one);
        return;
      case "see-to":
        return this.#seeTo(wish.topic);
    }
  }

  async #go(place: PlacePhrase): Promise<void> {
    const inputs = await this.#places([place], (z_mm) => [{ z_mm }]);
    await this.#eachOrOne("move_to", inputs);
  }

  async #expose(time: TimePhrase): Promise<void> {
    const inputs = timeReadings(time, this.#known, this.#spoken).map((exposure_ms) => [
      { input: { exposure_ms }, uses: [] },
    ]);
    await this.#eachOrOne("set_exposure", inputs);
  }

  async #darks(time: TimePhrase, frames: number | undefined): Promise<void> {
    const rest = frames === undefined ? {} : { frames };
    const inputs = timeReadings(time, this.#known, this.#spoken).map((exposure_ms) => [
      { input: { exposure_ms, ...rest }, uses: [] },
    ]);
    await this.#eachOrOne("take_darks", inputs);
  }

  async #measure(wish: Extract<Wish, { do: "measure" }>): Promise<void> {
    const [exposure_ms, ...others] =
      wish.time === undefined ? [undefined] : timeReadings(wish.time, this.#known, this.#spoken);
    if (others.length > 0) throw new Refused("the exposure can be read in several ways");
    const rest = {
      ...(exposure_ms === undefined ? {} : { exposure_ms }),
      ...(wish.frames === undefined ? {} : { frames: wish.frames }),
    };
    if (wish.dark === true && exposure_ms !== undefined) await this.#achieve(fact("dark", exposure_ms));
    const inputs = await this.#places(wish.places, (z_mm) => [{ z_mm, ...rest }]);
    const darkBy = exposure_ms === undefined ? undefined : this.#known.groundOf(fact("dark", exposure_ms));
    const by = wish.dark === true && typeof darkBy === "number" ? [darkBy] : [];
    const counted = inputs.map((reading) => reading.map((one) => ({ ...one, uses: [...one.uses, ...by] })));
    if (wish.usable !== true) return this.#eachOrOne("measure_at", counted);
    const [only, ...more] = counted.flat();
    if (only === undefined || more.length > 0) throw new Refused("a usable width is sought at one place at a time");
    await this.#usable(only.input, only.uses);
  }

  /** Measures at a place until the frame is good for a fit, with what each frame tells of the next exposure. */
  async #usable(first: ToolInputs, uses: readonly number[]): Promise<void> {
    let input = first;
    let by = uses;
    for (let frame = 0; frame < EXPOSURES; frame++) {
      await this.#reach("measure_at", input, by);
      const { latest } = this.#known;
      if (latest === undefined || !latest.flags.some(({ code }) => code === "saturated" || code === "low_signal"))
        return;
      if (latest.grade !== "refused" && !latest.flags.some(({ code }) => code === "saturated")) return;
      const exposure_ms = this.#betterExposure(latest);
      if (exposure_ms === latest.exposure_ms) return;
      by = this.#latest === undefined ? [] : [this.#latest.call];
      input = { ...input, exposure_ms };
    }
  }

  /** The exposure at which the beam would be bright and unsaturated, inside the bench's range. */
  #betterExposure({ exposure_ms, peak_counts, flags }: NonNullable<Knowledge["latest"]>): number {
    const { exposure_range_ms: range, full_scale_counts } = this.#known.bench;
    const saturated = flags.some(({ code }) => code === "saturated");
    const factor = saturated ? CUT : (AIM * full_scale_counts) / Math.max(1, peak_counts);
    return Math.min(range.max, Math.max(range.min, Number((factor * exposure_ms).toPrecision(3))));
  }

  async #scale(factor: number, flag: string): Promise<void> {
    for (let frame = 0; frame < EXPOSURES; frame++) {
      const { latest } = this.#known;
      if (latest === undefined || this.#latest === undefined) throw new Refused("nothing has been measured");
      if (!latest.flags.some(({ code }) => code === flag)) return;
      const { call, input } = this.#latest;
      await this.#reach("measure_at", { ...input, exposure_ms: Number((latest.exposure_ms * factor).toPrecision(6)) }, [
        call,
      ]);
    }
  }

  async #use(
    tool: "reject_measurement" | "restore_measurement",
    { which }: Extract<Wish, { do: "reject" | "restore" }>,
  ): Promise<void> {
    const inputs = measurementReadings(which, this.#known, this.#spoken).map((ids) =>
      ids.map((measurement) => ({ input: { measurement }, uses: [] })),
    );
    await this.#eachOrOne(tool, inputs);
  }

  async #fit({ without }: Extract<Wish, { do: "fit" }>): Promise<void> {
    if (without === undefined) return this.#reach("fit_caustic", {}, this.#measuredBy());
    const inputs = measurementReadings(without, this.#known, this.#spoken).map((exclude) => [
      { input: { exclude }, uses: [] },
    ]);
    await this.#eachOrOne("fit_caustic", inputs);
  }

  async #estimate(places: readonly PlacePhrase[]): Promise<void> {
    const inputs = (await this.#places(places, (z_mm) => [{ z_mm }])).map((reading) => [
      { input: { positions_mm: reading.map(({ input }) => input["z_mm"]) }, uses: reading.flatMap(({ uses }) => uses) },
    ]);
    await this.#eachOrOne("estimate_scan", inputs);
  }

  async #finish(verdict: Verdict, explanation: string): Promise<void> {
    const by = this.#known.fit === undefined ? [] : [this.#known.fit.call];
    await this.#reach("finish", { verdict, explanation }, by);
  }

  /** Exactly these measurements in the fit. */
  async #keep(ids: readonly string[]): Promise<void> {
    for (const id of ids) measurementReadings({ kind: "id", id }, this.#known, this.#spoken);
    for (const { measurement, use } of [...this.#known.measurements]) {
      const wanted = ids.includes(measurement) ? "used" : "rejected";
      if (use !== wanted) await this.#aim(fact(wanted, measurement));
    }
  }

  /** A number without a unit fits every declared tool that takes one number which the limits allow. */
  async #set(value: number): Promise<void> {
    const readings = (["move_to", "set_exposure"] as const)
      .filter((name) => this.#tools.includes(name))
      .map((name) => ({ name, input: name === "move_to" ? { z_mm: value } : { exposure_ms: value } }))
      .filter(({ name, input }) =>
        this.#capability(name)
          .needs(input)
          .every((need) => this.#known.holds(need)),
      );
    const [only, ...others] = readings;
    if (only === undefined) throw new Refused("nothing that is declared can be set to that");
    if (others.length > 0) throw new Refused("a position or an exposure may be meant: say mm or ms", readings);
    await this.#reach(only.name, only.input);
  }

  /** Several things that are to be so together: what would undo another is done before it, and what is so already is left alone. */
  async #have(wishes: readonly Wish[]): Promise<void> {
    const planned = wishes.map((wish) => ({ wish, gives: this.#givenBy(wish) }));
    const ordered: typeof planned = [];
    const left = [...planned];
    while (left.length > 0) {
      const place = left.findIndex((one) => left.every((other) => other === one || !this.#undoes(other, one)));
      const [next] = left.splice(Math.max(0, place), 1);
      if (next !== undefined) ordered.push(next);
    }
    for (const { wish, gives } of ordered) {
      const [main] = gives;
      if (main !== undefined && this.#known.holds(main) && factName(main) !== "measured") continue;
      await this.#fulfil(wish);
    }
  }

  /** Whether fulfilling one wish ends what another is about; finishing ends everything. */
  #undoes(one: { readonly wish: Wish; readonly gives: readonly Fact[] }, other: typeof one): boolean {
    if (other.wish.do === "finish") return one.wish.do !== "finish";
    const [main] = other.gives;
    return one.wish.do !== "finish" && main !== undefined && one.gives.some((later) => ends(later, main));
  }

  /** What a wish would give, its main effect first, as far as its literals tell. */
  #givenBy(wish: Wish): readonly Fact[] {
    const tool = TOOL_OF[wish.do];
    const input = literalInput(wish, this.#known.bench.limits_mm);
    return tool === undefined || input === undefined ? [] : this.#capability(tool).gives(input);
  }

  // What nobody said how to do.

  async #seeTo(topic: Topic): Promise<void> {
    switch (topic) {
      case "latest":
        return this.#mendLatest();
      case "exclusion": {
        const wronged = this.#known.measurements.filter(({ use, grade }) => use === "rejected" && grade === "good");
        const [only, ...others] = wronged;
        if (only === undefined) throw new Refused("no good measurement is left out");
        const readings = wronged.map(({ measurement }) => ({ name: "restore_measurement", input: { measurement } }));
        if (others.length > 0) throw new Refused("several good measurements are left out", readings);
        return this.#aim(fact("used", only.measurement));
      }
      case "m2":
        return this.#aim("determined");
      case "coverage":
        return this.#aim("covered");
      case "end":
        return this.#conclude();
    }
  }

  /** What is wrong with a measurement follows from its flags, and what has to be so instead follows from that. */
  async #mendLatest(): Promise<void> {
    const { latest } = this.#known;
    if (latest === undefined) throw new Refused("nothing has been measured");
    const flags = latest.flags.map(({ code }) => code);
    const exposure = flags.includes("saturated") || flags.includes("low_signal");
    const stale = flags.includes("background_stale");
    if (!exposure && !stale) throw new Refused("nothing is wrong with the latest measurement");
    const exposure_ms = exposure ? this.#betterExposure(latest) : latest.exposure_ms;
    await this.#aim(fact("rejected", latest.measurement));
    if (stale) await this.#reach("take_darks", { exposure_ms });
    const dark = stale ? [this.#proof.length - 1] : [];
    await this.#usable({ z_mm: latest.z_requested_mm, exposure_ms }, dark);
  }

  /** The verdict that the measurements carry. */
  async #conclude(): Promise<void> {
    await this.#achieve("fitted");
    const { fit, bench } = this.#known;
    if (fit === undefined) throw new Refused("there is no fit to conclude from");
    const { x, y } = fit.fit;
    const { min, max } = bench.limits_mm;
    const outside = [x, y].some((axis) => axis.determined && (axis.z0_mm < min || axis.z0_mm > max));
    const verdict: Verdict = outside
      ? "waist_not_accessible"
      : this.#known.holds("covered")
        ? "iso_compliant"
        : x.determined && y.determined
          ? "estimate_not_compliant"
          : "measurement_failed";
    await this.#finish(verdict, `the fit gives ${outside ? "a waist outside the travel" : verdict}`);
  }

  // Conditions.

  async #isSo(condition: Condition): Promise<boolean> {
    if (condition.kind === "stands") {
      const { z_mm } = this.#known;
      if (z_mm === undefined) throw new Refused("the stage does not know where it stands");
      return condition.side === "beyond" ? z_mm > condition.z_mm : z_mm < condition.z_mm;
    }
    if (condition.kind === "fact") {
      if (this.#known.fit === undefined && !this.#known.holds(condition.fact) && this.#tools.includes("fit_caustic")) {
        await this.#achieve("fitted");
      }
      if (this.#known.fit !== undefined) this.#pending.push(this.#known.fit.call);
      return this.#known.holds(condition.fact);
    }
    const { latest } = this.#known;
    if (latest === undefined) throw new Refused("nothing has been measured");
    if (this.#latest !== undefined) this.#pending.push(this.#latest.call);
    return latest.flags.some(({ code }) => code === condition.flag);
  }

  // Methods: how a fact is brought about.

  /** Brings about what was asked for itself. */
  async #aim(one: Fact): Promise<void> {
    await this.#achieve(one);
    this.#goals.add(one);
  }

  /** Brings a fact about unless it holds. Throws `Refused` where no declared tool can. */
  async #achieve(one: Fact): Promise<void> {
    if (this.#known.holds(one)) return;
    const subject = /\((.+)\)$/.exec(one)?.[1] ?? "";
    switch (factName(one)) {
      case "dark":
        return this.#call("take_darks", { exposure_ms: Number(subject) });
      case "used":
        return this.#call("restore_measurement", { measurement: subject });
      case "rejected":
        return this.#call("reject_measurement", { measurement: subject });
      case "fitted":
        return this.#call("fit_caustic", {}, this.#measuredBy());
      case "suggested":
        return this.#call("suggest_positions", { count: SUGGESTED });
      case "determined":
        return this.#determine();
      case "covered":
        return this.#cover();
      default:
        throw new Refused(`nothing that is declared brings about ${one}`);
    }
  }

  /** A fit of both axes: of what is there, else after a first look along the travel, where the beam can be measured. */
  async #determine(): Promise<void> {
    this.#declared("fit_caustic");
    const places = new Set(
      this.#known.measurements
        .filter((one) => one.use === "used" && one.grade !== "refused")
        .map((one) => one.z_requested_mm),
    );
    if (places.size >= FEWEST_PLACES || (places.size > 0 && !this.#tools.includes("measure_at"))) {
      await this.#call("fit_caustic", {}, this.#measuredBy());
      if (this.#known.holds("determined")) return;
      this.#pending.push(this.#proof.length - 1);
    }
    this.#declared("measure_at");
    const { min, max } = this.#known.bench.limits_mm;
    const by: number[] = this.#measuredBy();
    for (const share of FIRST_LOOK) {
      const z_mm = Number((min + share * (max - min)).toFixed(1));
      if (!this.#known.holds(fact("reachable", z_mm)) || this.#isMeasured(z_mm)) continue;
      await this.#usableWithin(z_mm, by);
    }
    await this.#call("fit_caustic", {}, this.#measuredBy());
    if (!this.#known.holds("determined")) throw new Refused("the measurements do not determine M² on both axes");
  }

  async #usableWithin(z_mm: number, by: readonly number[]): Promise<void> {
    const goals = new Set(this.#goals);
    await this.#usable({ z_mm }, by.slice(0, 0));
    this.#goals.clear();
    for (const one of goals) this.#goals.add(one);
  }

  /** A measurement in use that stands close enough to make another one there useless. */
  #isMeasured(z_mm: number): boolean {
    return this.#known.measurements.some(
      (one) => one.use === "used" && one.grade !== "refused" && Math.abs(one.z_requested_mm - z_mm) < CLOSE_mm,
    );
  }

  /** Asks for positions, measures there and fits, until both axes are covered. */
  async #cover(): Promise<void> {
    for (const tool of ["fit_caustic", "suggest_positions", "measure_at"]) this.#declared(tool);
    for (let round = 0; round < ROUNDS; round++) {
      await this.#call(
        "suggest_positions",
        { count: SUGGESTED },
        this.#known.fit === undefined ? [] : [this.#known.fit.call],
      );
      const { suggested } = this.#known;
      const by = suggested === undefined ? [] : [suggested.call];
      for (const z_mm of suggested?.positions_mm ?? [])
        await this.#call("measure_at", { z_mm, ...this.#usualExposure() }, by);
      await this.#call("fit_caustic", {}, this.#measuredBy());
      if (this.#known.holds("covered")) return;
    }
    throw new Refused("the coverage cannot be completed");
  }

  /** The exposure of the darks that are there, so that what is measured next is like what was. */
  #usualExposure(): ToolInputs {
    const { exposure_ms } = this.#known.measurements.findLast((one) => one.use === "used") ?? {};
    return exposure_ms === undefined ? {} : { exposure_ms };
  }

  /** Numbers of the measuring calls of this request, which a fit rests on. */
  #measuredBy(): number[] {
    return this.#proof
      .filter(({ gives }) => gives.some((one) => ["measured", "rejected", "used"].includes(factName(one))))
      .map(({ call }) => call);
  }

  // Calls.

  #capability(name: string): Capability {
    const known = this.#context.capabilityByName(name);
    if (known === undefined) throw new Refused(`${name} is not registered`);
    return known;
  }

  #declared(name: string): Capability {
    if (!this.#tools.includes(name)) throw new Refused(`${name} is not declared`);
    return this.#capability(name);
  }

  /** Every reading of places, as the inputs of one call each. What they can only be found from is brought about first. */
  async #places(places: readonly PlacePhrase[], inputs: (z_mm: number) => ToolInputs[]): Promise<Bound[][]> {
    for (const place of places) {
      const need = placeNeeds(place);
      if (need === "fitted" && this.#known.fit === undefined) await this.#call("fit_caustic", {}, this.#measuredBy());
      if (need === "suggested" && this.#known.suggested === undefined) await this.#achieve("suggested");
    }
    let combined: Bound[][] = [[]];
    for (const place of places) {
      const readings = placeReadings(place, this.#known, this.#spoken);
      combined = combined.flatMap((before) =>
        readings.map(({ value, uses }) => [...before, ...value.flatMap(inputs).map((input) => ({ input, uses }))]),
      );
    }
    return combined;
  }

  /**
   * Makes the calls of the only reading. Of several, a tool that only looks is called for each, since a look harms nothing; a tool that
   * acts is called for none, and the readings are named.
   */
  async #eachOrOne(name: string, readings: readonly (readonly Bound[])[]): Promise<void> {
    const known = this.#declared(name);
    if (readings.length > 1) {
      const candidates = readings.flat().map(({ input }) => ({ name, input }));
      if (!known.looks) throw new Refused("it can be read in several ways: say which is meant", candidates);
      this.#readings = candidates;
    }
    const places_mm = readings.flat().flatMap(({ input }) => {
      const { z_mm, positions_mm } = input;
      return [z_mm, ...(Array.isArray(positions_mm) ? (positions_mm as unknown[]) : [])].filter(
        (one) => typeof one === "number",
      );
    });
    for (const { input, uses } of readings.flat()) await this.#reach(name, input, uses);
    if (places_mm.length > 0) this.#spoken = { ...this.#spoken, places_mm };
    const measurement = readings.flat().at(-1)?.input["measurement"];
    if (typeof measurement === "string") this.#spoken = { ...this.#spoken, measurement };
  }

  /** A call whose effects were asked for themselves. */
  async #reach(name: string, input: ToolInputs, uses: readonly number[] = []): Promise<void> {
    await this.#call(name, input, uses);
    for (const one of this.#proof.at(-1)?.gives ?? []) this.#goals.add(one);
  }

  /**
   * One call with its reasons. Preconditions that do not hold are brought about first, or the call is refused. Where an instrument fails,
   * the call is made again; where a budget is used up, this call and others like it are left undone.
   */
  async #call(name: string, asked: ToolInputs, uses: readonly number[] = []): Promise<void> {
    const known = this.#declared(name);
    const input = known.required.includes("reason") ? { ...asked, reason: `asked: ${this.#request}` } : asked;
    for (const need of known.needs(input)) await this.#achieve(need);
    if (this.#spent && name === "measure_at") return;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#dispatch(known, input, uses);
      if (outcome.ok) return;
      this.#pending.push(this.#proof.length - 1);
      if (outcome.code === "budget_exhausted") {
        this.#spent = true;
        return;
      }
      if (outcome.code !== "instrument_failed" || attempt === ATTEMPTS)
        throw new Refused(`${name}: ${outcome.message}`);
    }
  }

  async #dispatch(known: Capability, input: ToolInputs, uses: readonly number[]): Promise<DispatchAnswer> {
    const call = this.#proof.length;
    const needs = known.needs(input).map((need) => {
      const by = this.#known.groundOf(need);
      return { fact: need, by: by ?? ("start" as const), ok: by !== undefined };
    });
    const outcome = await this.#context.dispatch(known.name, input);
    const gives = this.#known.learn(known, input, outcome, call);
    this.#proof.push({ call, needs, gives, uses: [...new Set([...uses, ...this.#pending])] });
    this.#pending = [];
    if (known.name === "measure_at" && outcome.ok) this.#latest = { call, input };
    return outcome;
  }
}

/** A call's arguments and the calls whose answers they come from. */
interface Bound {
  readonly input: ToolInputs;
  readonly uses: readonly number[];
}

/** Fewest places that a caustic can be fitted to. */
const FEWEST_PLACES = 3;
/** Places that lie closer tell the same. */
const CLOSE_mm = 6;

/** The tool that a wish cannot do without. */
const TOOL_OF: Readonly<Partial<Record<Wish["do"], string>>> = {
  status: "bench_status",
  go: "move_to",
  expose: "set_exposure",
  darks: "take_darks",
  measure: "measure_at",
  scale: "measure_at",
  reject: "reject_measurement",
  restore: "restore_measurement",
  fit: "fit_caustic",
  estimate: "estimate_scan",
  suggest: "suggest_positions",
  finish: "finish",
};

/** The arguments that a wish names itself; undefined where they must be looked up. */
function literalInput(wish: Wish, limits: { readonly min: number; readonly max: number }): ToolInputs | undefined {
  const place = (one: PlacePhrase | undefined): number | undefined =>
    one?.kind === "mm" ? one.z_mm : one?.kind === "middle" ? (limits.min + limits.max) / 2 : undefined;
  const time = (one: TimePhrase | undefined): number | undefined => (one?.kind === "ms" ? one.exposure_ms : undefined);
  switch (wish.do) {
    case "go": {
      const z_mm = place(wish.place);
      return z_mm === undefined ? undefined : { z_mm };
    }
    case "expose":
    case "darks": {
      const exposure_ms = time(wish.time);
      return exposure_ms === undefined ? undefined : { exposure_ms };
    }
    case "measure": {
      const z_mm = place(wish.places[0]);
      const exposure_ms = time(wish.time);
      if (z_mm === undefined || wish.places.length > 1) return undefined;
      return { z_mm, ...(exposure_ms === undefined ? {} : { exposure_ms }) };
    }
    case "reject":
    case "restore":
      return wish.which.kind === "id" ? { measurement: wish.which.id } : undefined;
    case "finish":
      return { verdict: wish.verdict };
    default:
      return undefined;
  }
}
