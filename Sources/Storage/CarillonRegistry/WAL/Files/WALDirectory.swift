import CarillonCore
import Glibc

/// The directory of the write-ahead log. It stays open, so the log is found again even after the directory was moved or
/// renamed.
final class WALDirectory {
    /// The name of the log in the directory.
    static let name = "data.wal"
    /// The name of the log in a directory that a program before the first release made.
    static let formerName = "journal"
    private static let unfinishedName = "data.wal.new"
    private static let formerUnfinishedName = "journal.new"

    let path: String
    private let descriptor: CInt
    /// The name under which ``openLog(isReadOnly:)`` has found the log.
    private var logName = WALDirectory.name

    /// Opens the directory.
    ///
    /// - Throws: `.storageFailed` if the system refuses.
    init(path: String) throws(RegistryError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, cannotBe: "opened") }
        self.path = path
    }

    deinit { close(descriptor) }

    /// Returns true if the directory has a file of that name, of whatever kind.
    private func has(_ name: String) throws(RegistryError) -> Bool {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT else { throw .system(path + "/" + name, cannotBe: "examined") }
        return false
    }

    /// Finds the name of the log. A start may rename the log at the same time, so the search looks for the current
    /// name, then for the former one, and then for the current one again.
    ///
    /// - Throws: `.corrupted` if there is a log under each of the two names.
    private func findName() throws(RegistryError) -> String {
        if try has(Self.name) {
            guard try !has(Self.formerName) else {
                throw .corrupted(
                    "\(path) has a write-ahead log twice, as \(Self.name) and as \(Self.formerName). Move the one away "
                        + "that the last server did not write: compare their times")
            }
            return Self.name
        }
        guard try has(Self.formerName) else { return Self.name }
        return try has(Self.name) ? Self.name : Self.formerName
    }

    /// Gives a log with the former name the current one. Call it when the log is known to be sound: if the start is
    /// refused before, an older program still finds the log.
    ///
    /// - Parameter lock: the lock of the directory: no other process has the log open for writing.
    func renameFormerLog(lock: DirectoryLock) throws(RegistryError) {
        defer { withExtendedLifetime(lock) {} }
        // An older program may have ended while it made one.
        unlinkat(descriptor, Self.formerUnfinishedName, 0)
        guard logName == Self.formerName else { return }
        guard renameat(descriptor, Self.formerName, descriptor, Self.name) == 0 else {
            throw .system(logPath, cannotBe: "renamed")
        }
        logName = Self.name
        guard fsync(descriptor) == 0 else { throw .system(path, cannotBe: "written") }
    }

    /// The path of the log, for messages.
    var logPath: String { path + "/" + logName }

    /// Opens the log; nil if the directory has none.
    ///
    /// - Throws: `.storageFailed` if it is not a file, or the system refuses.
    func openLog(isReadOnly: Bool) throws(RegistryError) -> WALFile? {
        // A FIFO would wait for a writer, and a link leads out of the directory.
        let flags = (isReadOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
        logName = try findName()
        var opened = openat(descriptor, logName, flags)
        if opened < 0, errno == ENOENT, logName == Self.formerName {
            // A start has renamed the log since its name was found. This is tried once, without a loop: on a failing
            // disk a name may be found and never be opened.
            logName = Self.name
            opened = openat(descriptor, logName, flags)
        }
        guard opened >= 0 else {
            switch errno {
            case ENOENT: return nil
            case EISDIR, ELOOP: throw .storageFailed("\(logPath) is a directory or a link, and must be a file")
            default: throw .system(logPath, cannotBe: "opened")
            }
        }
        // A start renames the log before it writes to it, so errors of writing have the current name.
        let file = WALFile(descriptor: opened, path: isReadOnly ? logPath : path + "/" + Self.name)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw .storageFailed("\(logPath) is a directory or a device, and must be a file")
        }
        return file
    }

    /// Creates a log with this content, in the place of any other. The content is on the disk before the file has its
    /// name.
    func createFile(_ content: (WALFile) throws(RegistryError) -> Void) throws(RegistryError) -> WALFile {
        // A process may have ended while it made one.
        unlinkat(descriptor, Self.unfinishedName, 0)
        let made = openat(descriptor, Self.unfinishedName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw .system(path + "/" + Self.unfinishedName, cannotBe: "made") }
        let file = WALFile(descriptor: made, path: logPath)
        try content(file)
        try file.sync()
        guard renameat(descriptor, Self.unfinishedName, descriptor, logName) == 0 else {
            throw .system(logPath, cannotBe: "made")
        }
        guard fsync(descriptor) == 0 else { throw .system(path, cannotBe: "written") }
        return file
    }

    /// Gives the log a second name, `data.wal.damaged` or one like it that is free; returns the path of that name.
    func keepUnderAnotherName() throws(RegistryError) -> String {
        for number in 1...1_000 {
            let name = Self.name + ".damaged" + (number == 1 ? "" : "-\(number)")
            if linkat(descriptor, logName, descriptor, name, 0) == 0 { return path + "/" + name }
            guard errno == EEXIST else { throw .system(path + "/" + name, cannotBe: "made") }
        }
        throw .storageFailed("\(path) has too many files with the name \(Self.name).damaged")
    }

    /// Removes the log, under both names.
    func removeLog() throws(RegistryError) {
        for name in [Self.name, Self.formerName] {
            guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
                throw .system(path + "/" + name, cannotBe: "removed")
            }
        }
        guard fsync(descriptor) == 0 else { throw .system(path, cannotBe: "written") }
    }

    /// Returns true if the file has the name of the log.
    func hasLog(_ file: WALFile) throws(RegistryError) -> Bool {
        var named = stat()
        guard fstatat(descriptor, logName, &named, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        let status = try file.status()
        return named.st_ino == status.st_ino && named.st_dev == status.st_dev
    }
}
