import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// The files from which secrets are read, and those that are refused.
struct SecretBytesTests {
    let authority: TestAuthority
    init() throws { authority = try TestAuthority() }

    private func write(_ name: String, bytes: Int, mode: Int) throws -> String {
        let path = authority.path(name)
        try Data(repeating: 7, count: bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test(arguments: [0o600, 0o400]) func `a file that only its owner reads is accepted`(mode: Int) throws {
        let path = try write("secret", bytes: 1000, mode: mode)
        let bytes = try SecretBytes.load(path: path).withUnsafeBytes { Array($0) }
        #expect(bytes == [UInt8](repeating: 7, count: 1000))
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o644]) func `a file that others can read is refused`(mode: Int) throws {
        let path = try write("secret", bytes: 1, mode: mode)
        let error = #expect(throws: SecretFileError.self) { _ = try SecretBytes.load(path: path) }
        #expect(error == .readableByOthers(path: path, mode: UInt32(mode)))
        #expect(error?.description.contains("chmod 600 \(path)") == true)
    }

    @Test func `a path that is no small file is refused`() throws {
        let large = try write("large", bytes: SecretBytes.maximumFileBytes + 1, mode: 0o600)
        #expect(throws: SecretFileError.tooLarge(path: large)) { _ = try SecretBytes.load(path: large) }
        let fifo = authority.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(throws: SecretFileError.notAFile(path: fifo)) { _ = try SecretBytes.load(path: fifo) }
        let directory = authority.directory.path
        #expect(throws: SecretFileError.notAFile(path: directory)) { _ = try SecretBytes.load(path: directory) }
        let nowhere = authority.path("nowhere")
        #expect(throws: SecretFileError.unreadable(path: nowhere, errno: ENOENT)) {
            _ = try SecretBytes.load(path: nowhere)
        }
    }
}
