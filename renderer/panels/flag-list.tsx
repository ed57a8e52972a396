import type { FrameFlagCode } from "../../main/contract/vocabulary.ts";
import { FRAME_FLAG_WORDS } from "../store/words.ts";

/** Flags in words with what to do about them; the numbers that raised them stand in the host's own sentences. */
export function FlagList(props: {
  flags: readonly { readonly code: FrameFlagCode; readonly value: number; readonly limit: number }[];
  reasons: readonly string[];
  /** Where there is little room all names come first. */
  compact?: boolean;
}) {
  if (props.flags.length === 0 && props.reasons.length === 0) return null;
  const namesFirst = props.compact === true && props.flags.length > 1;
  return (
    <ul className="flags">
      {namesFirst ? (
        <li>
          <strong>{props.flags.map(({ code }) => FRAME_FLAG_WORDS[code].name).join(" · ")}</strong>
        </li>
      ) : null}
      {props.flags.map(({ code }) => {
        const { name, advice } = FRAME_FLAG_WORDS[code];
        return (
          <li key={code}>
            {namesFirst ? null : <strong>{name}. </strong>}
            {advice}
          </li>
        );
      })}
      {props.flags.length === 0 ? props.reasons.map((reason) => <li key={reason}>{reason}</li>) : null}
    </ul>
  );
}
