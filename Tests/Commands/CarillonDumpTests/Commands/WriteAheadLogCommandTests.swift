import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

/// The command `carillon-dump log` on the data of servers that were killed.
struct WriteAheadLogCommandTests {
    private let scratch = RegistryDirectory()

    /// Makes the files of a server that is killed with a number of changes in its log, one a record.
    private func killed(records: UInt8) throws -> RegistryDirectory {
        let registry = try scratch.openWithoutCheckpoints()
        try registry.checkpoint()
        for token in 1...records { try registry.apply(.register(token)) }
        return try scratch.crashed()
    }

    private func devices(of directory: RegistryDirectory, _ app: AppID = TestApps.game) throws -> [UInt64] {
        let registry = try directory.openWithoutCheckpoints()
        defer { registry.close() }
        #expect(try registry.verify() == [])
        return try (1...6 as ClosedRange<UInt8>).compactMap {
            try registry.device(.address(address($0)), of: app)?.id.rawValue
        }
    }

    @Test func `the command reports lost records and cuts the log`() throws {
        let killed = try killed(records: 5)
        let sound = try DumpCommand.run("log", "--data", killed.path)
        #expect(sound.output.contains("5 records, 1 to 5, with 5 changes"), "\(sound.output)")
        var damaged = try Data(contentsOf: killed.file("data.wal"))
        // Each record takes a block, and the header of the file takes the first.
        let (blockBytes, record, place) = (4_096, 3, 50)
        damaged[blockBytes * record + place] ^= 1
        try damaged.write(to: killed.file("data.wal"))
        let verify = try DumpCommand.run("verify", "--data", killed.path)
        #expect(verify.errorOutput.contains("record 3 cannot be read"), "\(verify.errorOutput)")
        #expect(verify.errorOutput.contains("carillon-dump log --cut"))
        let shown = try DumpCommand.run("log", "--data", killed.path)
        #expect(shown.output.contains("the records 3 to 5"), "\(shown.output)")
        let cut = try DumpCommand.run("log", "--cut", "--data", killed.path)
        #expect([sound, cut].map(\.status) == [0, 0], "\(cut.errorOutput)")
        #expect([verify, shown].map(\.status) == [DumpCommand.cannotRead, DumpCommand.cannotRead])
        #expect(cut.errorOutput.contains("data.wal.damaged"))
        #expect(try DumpCommand.run("verify", "--data", killed.path).output.hasPrefix("sound  2 devices"))
    }

    @Test func `the command leaves a log in use alone`() throws {
        let registry = try scratch.openWithoutCheckpoints()
        try registry.apply(.register(1))
        let command = try DumpCommand.run("log", "--cut", "--data", scratch.path)
        #expect(command.status == 2)
        #expect(command.errorOutput.contains("a server uses"))
        registry.close()
    }

    /// Without a log it is not known whether the newest checkpoint is whole on the disk.
    @Test func `the command restores the checkpoint before if there is no log`() throws {
        let registry = try scratch.openWithoutCheckpoints()
        for token in 1...5 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        try registry.apply(.register(6))
        let killed = try scratch.crashed()
        try FileManager.default.removeItem(at: killed.file("data.wal"))
        #expect(try DumpCommand.run("log", "--data", killed.path).status == DumpCommand.cannotRead)
        let cut = try DumpCommand.run("log", "--cut", "--data", killed.path)
        #expect(cut.status == 0)
        #expect(cut.errorOutput.contains("the newest checkpoint of data.mdb was given up"), "\(cut.errorOutput)")
        #expect(try devices(of: killed) == [1, 2, 3, 4])
    }

    /// An import holds the lock of the directory itself, and must look for the log nevertheless. The log has the app.
    @Test func `an import into the data of a killed server applies its log first`() throws {
        let other = RegistryDirectory()
        let registry = try other.openWithoutCheckpoints()
        let shop = AppID("com.example.shop")!
        try registry.apply(.register(101))
        try registry.apply(.register(1, of: shop))
        registry.close()
        for app in [TestApps.game, shop] {
            let export = other.path + "/" + app.name
            #expect(try DumpCommand.run("export", export, "--app", app.name, "--data", other.path).status == 0)
        }
        let killed = try killed(records: 5)
        let refused = try DumpCommand.run("import", other.path + "/com.example.game", "--data", killed.path)
        #expect(refused.errorOutput.contains("has the app com.example.game already"), "\(refused.errorOutput)")
        let done = try DumpCommand.run("import", other.path + "/com.example.shop", "--data", killed.path)
        #expect(done.status == 0, "\(done.errorOutput)")
        #expect(try devices(of: killed) == [1, 2, 3, 4, 5])
        #expect(try devices(of: killed, shop) == [1])
    }
}
