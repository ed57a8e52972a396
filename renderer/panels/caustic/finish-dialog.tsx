import { useState } from "react";
import { FAULT_KINDS, type FaultKind, VERDICTS, type Verdict } from "../../../main/contract/vocabulary.ts";
import { Dialog } from "../../controls/dialog.tsx";
import { PageError } from "../../host/page-error.ts";
import { useDesk } from "../../store/desk.ts";
import { plusMinus } from "../../store/format.ts";
import { type FollowedRun, useWindow } from "../../store/window-store.ts";
import { FAULT_WORDS, VERDICT_WORDS } from "../../store/words.ts";

/** The operator's conclusion: verdict, what was wrong with the light if anything, and why. */
export function FinishDialog({ followed, onClose }: { followed: FollowedRun; onClose: () => void }) {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const x = followed.caustic?.x.result;
  const y = followed.caustic?.y.result;
  const [verdict, setVerdict] = useState<Verdict>(() => likelyVerdict(followed));
  const [fault, setFault] = useState<FaultKind>("none");
  const [explanation, setExplanation] = useState("");
  const [refusal, setRefusal] = useState<PageError>();
  const [busy, setBusy] = useState(false);
  if (run === undefined) return null;
  const value = (axis: typeof x) => (axis?.determined === true ? { value: axis.m2, u: axis.u_m2 } : undefined);
  const m2x = value(x);
  const m2y = value(y);
  const finish = async (): Promise<void> => {
    setBusy(true);
    try {
      await desk.call("finish", {
        run,
        verdict,
        ...(m2x === undefined ? {} : { m2_x: m2x }),
        ...(m2y === undefined ? {} : { m2_y: m2y }),
        ...(fault === "none" ? {} : { fault: { kind: fault } }),
        explanation: explanation.trim() === "" ? VERDICT_WORDS[verdict] : explanation,
      });
      onClose();
    } catch (error) {
      setRefusal(error instanceof PageError ? error : new PageError("internal", String(error), ""));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Finish the run" onClose={onClose}>
      <p>
        M² <span className="tone-x">x</span> <span className="number">{plusMinus(m2x?.value, m2x?.u)}</span>,{" "}
        <span className="tone-y">y</span> <span className="number">{plusMinus(m2y?.value, m2y?.u)}</span>
      </p>
      <label className="stack">
        <span className="field-label">Verdict</span>
        <select
          value={verdict}
          onChange={(event) => {
            const chosen = VERDICTS.find((one) => one === event.currentTarget.value);
            if (chosen !== undefined) setVerdict(chosen);
          }}
        >
          {VERDICTS.map((one) => (
            <option key={one} value={one}>
              {VERDICT_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="stack">
        <span className="field-label">What was wrong with light or sensor</span>
        <select
          value={fault}
          onChange={(event) => {
            const chosen = FAULT_KINDS.find((one) => one === event.currentTarget.value);
            if (chosen !== undefined) setFault(chosen);
          }}
        >
          {FAULT_KINDS.map((one) => (
            <option key={one} value={one}>
              {FAULT_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="stack">
        <span className="field-label">Why</span>
        <textarea
          rows={3}
          value={explanation}
          placeholder={VERDICT_WORDS[verdict]}
          onChange={(event) => {
            setExplanation(event.currentTarget.value);
          }}
        />
      </label>
      {refusal === undefined ? null : (
        <p role="alert" className="tone-bad">
          {refusal.message}. {refusal.hint}
        </p>
      )}
      <div className="row">
        <span className="grow dim">The run takes no further measurements afterwards.</span>
        <button type="button" onClick={onClose}>
          Go on measuring
        </button>
        <button type="button" className="primary" disabled={busy} onClick={() => void finish()}>
          Finish
        </button>
      </div>
    </Dialog>
  );
}

function likelyVerdict({ caustic }: FollowedRun): Verdict {
  const axes = [caustic?.x.result, caustic?.y.result];
  if (axes.every((axis) => axis?.determined === true && axis.iso_coverage)) return "iso_compliant";
  if (axes.some((axis) => axis?.determined === true)) return "estimate_not_compliant";
  return "measurement_failed";
}
