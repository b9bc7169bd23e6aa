import CCarillonLMDB
import Glibc

/// Removes the newest commit from a file that no process has open.
extension DataFile {
    /// Drops the newest commit of the file in `directory` if its number is `number` + 1, so that commit `number` is the
    /// newest again. Changes nothing otherwise, or if the file is missing, empty or of another version.
    ///
    /// LMDB has two meta pages, and each commit writes the older one. While a transaction follows the newest commit, no
    /// page of the commit before it is used again: LMDB relies on that itself (`mdb_page_alloc` in `mdb.c`). So the
    /// older meta page and its tree are whole, even if the newest commit has not reached the disk.
    ///
    /// Call it only while no process writes the file. The change is on the disk when this returns.
    ///
    /// - Throws: `.corrupted` or `.invalidFile` if a meta page has impossible values; the error of a system call.
    package static func dropCommit(after number: UInt64, in directory: String) throws(LMDBError) {
        guard number > 0 else { return }
        _ = try dropNewestCommit(in: directory) { older, newer in older == number && newer == number &+ 1 }
    }

    /// Drops the newest commit of the file in `directory`, whatever its number is; as ``dropCommit(after:in:)``.
    ///
    /// - Returns: false if there is no commit before it.
    /// - Throws: as ``dropCommit(after:in:)``.
    package static func dropNewestCommit(in directory: String) throws(LMDBError) -> Bool {
        try dropNewestCommit(in: directory) { older, newer in older > 0 && newer > older }
    }

    /// Drops the newest commit if `condition`, which gets the numbers of both commits, is true.
    private static func dropNewestCommit(
        in directory: String, if condition: (_ older: UInt64, _ newer: UInt64) -> Bool
    ) throws(LMDBError) -> Bool {
        let descriptor = open("\(directory)/\(name)", O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .ofErrno("open") }
            return false
        }
        defer { close(descriptor) }
        guard let first = try metaPage(at: 0, of: descriptor) else { return false }
        let pageBytes = try DataFileCheck.meta(first).pageBytes
        guard let second = try metaPage(at: pageBytes, of: descriptor) else { return false }
        let firstNumber = try DataFileCheck.meta(first).transaction
        let secondNumber = try DataFileCheck.meta(second).transaction
        let replacement: (page: [UInt8], offset: Int)
        if firstNumber < secondNumber {
            guard condition(firstNumber, secondNumber) else { return false }
            replacement = (copy(of: first, number: firstNumber), pageBytes)
        } else {
            guard condition(secondNumber, firstNumber) else { return false }
            replacement = (copy(of: second, number: secondNumber), 0)
        }
        // The system's cache may have other pages than the disk, after a write that failed: see ``prepare(in:)``.
        guard fsync(descriptor) == 0 else { throw .ofErrno("fsync") }
        try write(replacement.page, at: replacement.offset, of: descriptor)
        guard fsync(descriptor) == 0 else { throw .ofErrno("fsync") }
        return true
    }

    /// Returns the meta page at an offset; nil if the file has none of this version there.
    private static func metaPage(at offset: Int, of descriptor: CInt) throws(LMDBError) -> [UInt8]? {
        let count = DataFileCheck.pageHeaderBytes + DataFileCheck.metaBytes
        guard let page = try DataFileCheck.read(count, at: offset, of: descriptor) else { return nil }
        return try DataFileCheck.isOfAnotherVersion(page) ? nil : page
    }

    /// Returns the copy of a commit for the other meta page. The copy has `number` − 1, so that the next transaction
    /// writes over it: LMDB chooses pages by the number. `number` is the commit's own, above 0.
    private static func copy(of page: [UInt8], number: UInt64) -> [UInt8] {
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
        guard written == DataFileCheck.metaBytes else { throw .ofErrno("pwrite") }
    }
}
