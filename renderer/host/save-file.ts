/** Offers a file for saving, by the ways of the browser or of the desktop shell that shows the page. */
export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^A-Za-z0-9._-]+/g, "-");
  link.click();
  // The download has taken its own hold of the data by then.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}

export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBase64(name: string, type: string, base64: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  saveBlob(name, new Blob([bytes], { type }));
}
