#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason why a secret file was not read; the description names the path and the remedy.
package enum SecretFileError: Error, Hashable, Sendable {
    case unreadable(path: String, errno: Int32)
    case notAFile(path: String)
    /// The owner is neither this process's user nor root.
    case foreignOwner(path: String)
    /// Group or others have rights on the file; `mode` is the permission bits.
    case readableByOthers(path: String, mode: UInt32)
    case tooLarge(path: String)
}

extension SecretFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let errno): "cannot read \(path): \(String(cString: strerror(errno)))"
        case .notAFile(let path): "\(path) is not a regular file"
        case .foreignOwner(let path):
            "\(path) belongs to another user: it must belong to the user of the server, and this must run as that user"
        case .readableByOthers(let path, let mode):
            "\(path) has mode \(String(mode, radix: 8)), so others than its owner can use it: chmod 600 \(path)"
        case .tooLarge(let path): "\(path) is larger than \(SecretBytes.maximumFileBytes) bytes"
        }
    }
}
