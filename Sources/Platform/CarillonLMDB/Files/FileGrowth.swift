import CCarillonLMDB
import Glibc

/// Writes the pages after the end of a growing file one by one, before LMDB writes them in long runs.
///
/// Linux keeps bytes that are first written in one call as one folio of its cache; LMDB appends runs of 256 KiB
/// (`MDB_COMMIT_PAGES` in `mdb.c`: 64 pages). For each page that is written later, ext4 (seen with Linux 6.18) goes
/// through all blocks of the folio. And a registry writes single pages all over its file. A page that is written alone
/// first gets a folio of its own; the cost is one more write to the disk.
struct FileGrowth {
    /// The smallest growth, in pages, that is prepared: a smaller one needs no preparation.
    private static let minimumPages = 8
    /// The most pages that are made at once: 16 MiB at the usual size of a page.
    private static let maximumPages = 4_096

    /// The number of pages of the data when the last change began; nil before the first.
    private var usedPages: Int?
    /// The number of pages from the start of the file up to the last one made here.
    private var madePages = 0

    /// Makes twice as many pages as the last change took; only with the write transaction open, and before it changes
    /// anything.
    ///
    /// Failures are ignored here: the commit will fail and report them.
    mutating func prepare(_ environment: OpaquePointer) {
        var info = MDB_envinfo()
        var stat = MDB_stat()
        var descriptor = mdb_filehandle_t()
        guard mdb_env_info(environment, &info) == MDB_SUCCESS, mdb_env_stat(environment, &stat) == MDB_SUCCESS,
            mdb_env_get_fd(environment, &descriptor) == MDB_SUCCESS
        else { return }
        let used = info.me_last_pgno + 1
        let pageBytes = Int(stat.ms_psize)
        let grown = min(used - (usedPages ?? used), Self.maximumPages / 2)
        usedPages = used
        guard grown >= Self.minimumPages, madePages < used + grown else { return }
        let end = min(used + 2 * grown, info.me_mapsize / pageBytes)
        withUnsafeTemporaryAllocation(byteCount: pageBytes, alignment: 16) { zeros in
            zeros.initializeMemory(as: UInt8.self, repeating: 0)
            for page in stride(from: max(madePages, used), to: end, by: 1) {
                guard pwrite(descriptor, zeros.baseAddress, pageBytes, off_t(page * pageBytes)) == pageBytes else {
                    return
                }
                madePages = page + 1
            }
        }
    }
}
