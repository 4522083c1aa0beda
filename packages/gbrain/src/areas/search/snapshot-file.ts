// The port to a file that an index is kept in between runs. It knows no path.

/** Where a snapshot is kept. A snapshot that cannot be read counts as none; one that cannot be written is left out. */
export interface SnapshotFile {
  read(): Promise<Uint8Array | undefined>;
  /** `parts` are the file's bytes in a row. */
  write(parts: readonly Uint8Array[]): Promise<void>;
}
