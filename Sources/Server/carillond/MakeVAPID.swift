import CarillonCore
import CarillonServer
import CarillonTLS
import Glibc

/// The command `make-vapid`.
enum MakeVAPID {
    /// Writes a new VAPID key to a file that only its owner can read, and prints its public half. A file that exists is
    /// left as it is, and its public half is printed, because a new key would end every subscription that was made with
    /// the old one.
    static func run(file: String) throws {
        if let pem = try existing(file) {
            let key = try SigningKey(pem: pem)
            print("the key was there:    \(file)")
            return print("applicationServerKey: \(try text(key))")
        }
        let pem = try SigningKey.makePEM()
        let key = try pem.withUnsafeBytes { bytes in try SigningKey(pem: SecretBytes(copying: bytes)) }
        try pem.withUnsafeBytes { try SecretFile.write($0, to: file) }
        print("the key is in:        \(file)")
        print("applicationServerKey: \(try text(key))")
    }

    private static func existing(_ file: String) throws(SettingsError) -> SecretBytes? {
        do throws(SecretFileError) {
            return try SecretBytes.load(path: file)
        } catch {
            if case .unreadable(_, let errno) = error, errno == ENOENT { return nil }
            throw SettingsError(file, fault: error.description)
        }
    }

    private static func text(_ key: SigningKey) throws -> String {
        String(decoding: Base64URL.encode(try key.publicPoint), as: UTF8.self)
    }
}
