import CarillonServer

/// The command `make-key`.
enum MakeKey {
    /// Prints a new API key once, or writes it to a file, and prints its entry for the file of principals.
    static func run(_ request: KeyRequest) throws {
        let newKey = try NewAPIKey()
        if let file = request.file {
            try Array((newKey.key + "\n").utf8).withUnsafeBytes { try SecretFile.write($0, to: file) }
            print("the key is in:          \(file)")
        } else {
            print("key, shown this once:   \(newKey.key)")
        }
        print("for the principals file: \(try request.entry(sha256: newKey.sha256))")
        if request.hasPlaceholder {
            print("edit app and roles, or give --app and --role; roles are register, send, observe, admin")
        }
    }
}
