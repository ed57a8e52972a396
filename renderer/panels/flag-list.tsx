import type { FrameFlagCode } from "../../main/contract/vocabulary.ts";
import { FRAME_FLAG_WORDS } from "../store/words.ts";

/** Flags in words with what to do about them; the numbers that raised them stand in the host's own sentences. */
export function FlagList(props: {
  flags: readonly { readonly code: FrameFlagCode; readonly value: number; readonly limit: number }[];
  reasons: readonly string[];
}) {
  if (props.flags.length === 0 && props.reasons.length === 0) return null;
  return (
    <ul className="flags">
      {props.flags.map(({ code }) => {
        const { name, advice } = FRAME_FLAG_WORDS[code];
        return (
          <li key={code}>
            <strong>{name}.</strong> {advice}
          </li>
        );
      })}
      {props.flags.length === 0 ? props.reasons.map((reason) => <li key={reason}>{reason}</li>) : null}
    </ul>
  );
}
