import CarillonCommandLine
import Foundation

/// An output file, readable by its owner only, that is written under a temporary name and then renamed; or standard
/// output for the path `-`.
final class OutputFile {
    private let path: String
    private let descriptor: CInt
    /// The temporary name, which is unique, so that two processes can write the same file.
    private let unfinishedPath: String
    private var isUnfinished: Bool

    /// Creates the file. A file of that name must not exist.
    init(path: String) throws(CommandError) {
        self.path = path
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            unfinishedPath = ""
            isUnfinished = false
            return
        }
        guard access(path, F_OK) != 0 else { throw .unusable("\(path) exists already; it is not overwritten") }
        var template = Array("\(path).unfinished-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        unfinishedPath = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        isUnfinished = descriptor >= 0
        guard isUnfinished else { throw .system("cannot be made", path) }
        CleanupOnExit.register(output: unfinishedPath)
        guard fchmod(descriptor, 0o600) == 0 else { throw .system("cannot be made", path) }
    }

    deinit {
        guard path != "-" else { return }
        if descriptor >= 0 { close(descriptor) }
        if isUnfinished { removeUnfinished() }
    }

    func write(_ bytes: [UInt8]) throws(CommandError) {
        var remainder = bytes[...]
        while !remainder.isEmpty {
            let count = remainder.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // The reader of the pipe has ended, as in `carillon-dump devices … | head`: end as other programs do.
            if count < 0 && errno == EPIPE && path == "-" { StandardOutput.endByClosedPipe() }
            guard count > 0 else { throw .system("cannot be written", path == "-" ? "standard output" : path) }
            remainder = remainder.dropFirst(count)
        }
    }

    /// Syncs the file, gives it its name, and syncs the directory.
    func finish() throws(CommandError) {
        guard isUnfinished else { return }
        guard fsync(descriptor) == 0 else { throw .system("cannot be written to the disk", path) }
        guard link(unfinishedPath, path) == 0 else { throw .system("cannot be renamed to its name", path) }
        removeUnfinished()
        let directory = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
        try DataDirectory(path: directory.path).sync()
    }

    private func removeUnfinished() {
        unlink(unfinishedPath)
        CleanupOnExit.unregisterOutput()
        isUnfinished = false
    }
}
