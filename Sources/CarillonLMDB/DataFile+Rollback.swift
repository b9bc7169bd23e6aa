import CCarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension DataFile {
    /// Drops the newest commit of the file in `directory` if it is the one after the commit with a number, so that this
    /// one is the newest again. Changes nothing otherwise, or if the file is missing, empty or of another version.
    ///
    /// LMDB has two meta pages, and each commit writes the older one. While a transaction follows the newest commit, no
    /// page of the commit before it is used again: LMDB relies on that itself. So the older meta page and its tree are
    /// whole, also if the newest commit has not reached the disk.
    ///
    /// Of a file that no process writes. What was changed is on the disk when this returns.
    ///
    /// - Throws: `.corrupted` or `.invalidFile` if a meta page makes no sense; what the system gives.
    package static func dropCommit(after number: UInt64, in directory: String) throws(LMDBError) {
        let descriptor = open("\(directory)/\(name)", O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .last("open") }
            return
        }
        defer { close(descriptor) }
        guard number > 0, let first = try metaPage(at: 0, of: descriptor) else { return }
        let pageBytes = try DataFileCheck.meta(first).pageBytes
        guard let second = try metaPage(at: pageBytes, of: descriptor) else { return }
        let replacement: (page: [UInt8], offset: Int)
        switch (try DataFileCheck.meta(first).transaction, try DataFileCheck.meta(second).transaction) {
        case (number, number &+ 1): replacement = (copy(of: first, number), pageBytes)
        case (number &+ 1, number): replacement = (copy(of: second, number), 0)
        default: return
        }
        // The system's cache may have other pages than the disk, after a write that failed: see ``prepare(in:)``.
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
        try write(replacement.page, at: replacement.offset, of: descriptor)
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
    }

    /// The meta page at an offset; nil if the file has none of this version there.
    private static func metaPage(at offset: Int, of descriptor: CInt) throws(LMDBError) -> [UInt8]? {
        let count = DataFileCheck.pageHeaderBytes + DataFileCheck.metaBytes
        guard let page = try DataFileCheck.read(count, at: offset, of: descriptor) else { return nil }
        return try DataFileCheck.isOfAnotherVersion(page) ? nil : page
    }

    /// A commit as the other meta page is to have it: with a number below its own, so that the next transaction writes
    /// that page. LMDB chooses pages by the number.
    private static func copy(of page: [UInt8], _ number: UInt64) -> [UInt8] {
        var page = page
        withUnsafeBytes(of: number - 1) { number in
            page.replaceSubrange((page.count - number.count)..., with: number)
        }
        return page
    }

    private static func write(_ page: [UInt8], at offset: Int, of descriptor: CInt) throws(LMDBError) {
        // The header of the page has its number. The rest is one write within one sector, as LMDB's own.
        let written = page.withUnsafeBytes { page in
            pwrite(
                descriptor, page.baseAddress! + DataFileCheck.pageHeaderBytes, DataFileCheck.metaBytes,
                off_t(offset + DataFileCheck.pageHeaderBytes))
        }
        guard written == DataFileCheck.metaBytes else { throw .last("pwrite") }
    }
}
