import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// The command `carillon-dump verify` on damaged tables. The suites of `Verifier` in the tests of the registry have
/// every kind of damage.
struct VerifyCommandTests {
    /// Makes a directory with a device, and with a sender of a message that does not exist.
    private func damaged() throws -> RegistryDirectory {
        let directory = RegistryDirectory()
        let registry = try directory.openWithoutCheckpoints()
        try registry.apply(.register(1))
        registry.close()
        try directory.edit { transaction, tables in
            let metadata = MessageMetadata(sender: "shop")
            try tables.messageMetadata.put(metadata, for: messageID(9), in: &transaction)
        }
        return directory
    }

    @Test func `a finding is a line of JSON`() throws {
        let directory = try damaged()
        let command = try DumpCommand.run("verify", "--data", directory.path, "--json")
        #expect(command.status == DumpCommand.hasFindings)
        #expect(command.output.hasPrefix("{\"finding\":\"orphanedMetadata\","), "\(command.output)")
    }

    @Test func `a finding is a sentence`() throws {
        let directory = try damaged()
        let command = try DumpCommand.run("verify", "--data", directory.path)
        #expect(command.status == DumpCommand.hasFindings)
        #expect(command.output.contains("message 9: it does not exist"), "\(command.output)")
    }
}
