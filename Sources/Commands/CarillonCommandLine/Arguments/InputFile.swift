package import Foundation

/// Opens and reads files that the user names.
package enum InputFile {
    /// Opens a file for reading; `-` is standard input.
    package static func open(_ path: String) throws(CommandError) -> FileHandle {
        guard path != "-" else { return .standardInput }
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot be read", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw .unusable("\(path) cannot be read: it is a directory")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns the contents of a file, or its first `maximumBytes` bytes.
    package static func contents(_ path: String, maximumBytes: Int) throws(CommandError) -> [UInt8] {
        let file = try open(path)
        do {
            return Array(try file.read(upToCount: maximumBytes) ?? Data())
        } catch {
            throw .unusable("\(path) cannot be read: \(error.localizedDescription)")
        }
    }
}
