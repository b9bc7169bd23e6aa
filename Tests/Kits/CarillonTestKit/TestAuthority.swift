package import CarillonTLS
package import Foundation

/// A temporary certificate authority, made with the `openssl` command in a directory of its own.
package final class TestAuthority: Sendable {
    private let files = TemporaryDirectory()
    package var directory: URL { URL(fileURLWithPath: files.path) }

    /// Makes the authority: `ca.pem` and `ca.key`.
    package init() throws {
        try files.make()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Authority -keyout ca.key "
                + "-out ca.pem"
        )
    }

    package func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Writes `name.pem` and `name.key`; `days` may be negative for a certificate that has expired.
    package func issue(_ name: String, subject: String, names: String, days: Int = 1) throws {
        try "subjectAltName=\(names)".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj \(subject) -keyout \(name).key -out "
                + "\(name).csr"
        )
        try openssl(
            "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile \(name).ext "
                + "-out \(name).pem"
        )
    }

    /// Returns the identity of `name.pem` and `name.key`.
    package func identity(_ name: String) throws -> TLSIdentity {
        try TLSIdentity.pemFiles(certificateChain: path("\(name).pem"), key: path("\(name).key"))
    }

    /// Makes a private key on the curve P-256 in the file `name`, and returns its bytes, which are PEM.
    @discardableResult
    package func ellipticKey(_ name: String) throws -> SecretBytes {
        try openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(name)")
        return SecretBytes(copying: try bytes(name))
    }

    /// Runs `openssl` with arguments that contain no spaces, and returns its output. Throws the text of a failure.
    @discardableResult
    package func openssl(_ arguments: String) throws -> String {
        let words = arguments.split(separator: " ").map(String.init)
        return try FinishedProgram(URL(fileURLWithPath: "/usr/bin/openssl"), words, in: directory).outputOfSuccess()
    }
}
