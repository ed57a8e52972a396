import { useState } from "react";
import { Dialog } from "../../controls/dialog.tsx";
import { PageError } from "../../host/page-error.ts";
import { useDesk } from "../../store/desk.ts";
import { useRuns } from "../../store/runs-store.ts";

/** Asks for the path of a run's folder on the bench's machine: a browser gives no paths, so it is typed. */
export function FolderDialog() {
  const desk = useDesk();
  const [folder, setFolder] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const close = (): void => {
    useRuns.setState({ asking: false });
  };
  return (
    <Dialog title="Open the folder of a run" onClose={close}>
      <form
        className="stack folder-form"
        onSubmit={(event) => {
          event.preventDefault();
          desk.showRecordIn(folder.trim()).then(close, (error: unknown) => {
            setRefusal(error instanceof PageError ? `${error.message}. ${error.hint}` : String(error));
          });
        }}
      >
        <label className="stack">
          <span className="field-label">Folder on the machine of the bench, with run.json and events.jsonl in it</span>
          <input
            className="number"
            value={folder}
            spellCheck={false}
            onChange={(event) => {
              setFolder(event.currentTarget.value);
            }}
          />
        </label>
        {refusal === undefined ? null : (
          <p role="alert" className="tone-bad">
            {refusal}
          </p>
        )}
        <div className="row">
          <span className="grow dim">It is read where it lies; nothing is copied or changed.</span>
          <button type="submit" className="primary" disabled={folder.trim() === ""}>
            Open
          </button>
        </div>
      </form>
    </Dialog>
  );
}
