import CarillonServer
import Glibc

/// The command `make-key`.
enum MakeKey {
    /// Prints a new API key once, or writes it to a file, and prints its entry for the file of principals.
    static func run(_ request: KeyRequest) throws {
        let made = try APIKey.make()
        if let file = request.file {
            try write(made.key, to: file)
            print("the key is in:          \(file)")
        } else {
            print("key, shown this once:   \(made.key)")
        }
        print("for the principals file: \(try request.entry(sha256: made.sha256))")
        if request.hasPlaceholder {
            print("edit app and roles, or give --app and --role; roles are register, send, observe, admin")
        }
    }

    /// Writes the key to a new file that only its owner can read.
    private static func write(_ key: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SettingsError(path, "cannot be made: \(String(cString: strerror(errno)))")
        }
        var bytes = Array((key + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        let isWritten = bytes.isEmpty && fsync(descriptor) == 0
        let reason = String(cString: strerror(errno))
        close(descriptor)
        guard isWritten else {
            // A file with half a key would pass for one with a key.
            unlink(path)
            throw SettingsError(path, "cannot be written: \(reason)")
        }
    }
}
