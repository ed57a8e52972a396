/** The messages between shell and preload. The preload script is one file without imports, so it repeats the words. */
export const PORT_CHANNEL = "caustic-port";
export const ASK_PORT_CHANNEL = "caustic-ask-port";
export const COMMAND_CHANNEL = "caustic-command";
export const FOLDER_CHANNEL = "caustic-folder";
