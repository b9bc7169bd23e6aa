import CarillonServer
import Glibc

/// Writes new files that only their owner can read.
enum SecretFile {
    /// Writes bytes to a new file.
    static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SettingsError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SettingsError(path, fault: "cannot be made: \(String(cString: strerror(errno)))")
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && fsync(descriptor) == 0
        let reason = String(cString: strerror(errno))
        close(descriptor)
        guard isWritten else {
            // A file with half a key would pass for one with a key.
            unlink(path)
            throw SettingsError(path, fault: "cannot be written: \(reason)")
        }
    }
}
