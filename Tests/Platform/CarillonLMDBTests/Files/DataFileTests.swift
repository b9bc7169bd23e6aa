import Foundation
import Testing

@testable import CarillonLMDB

/// The file before LMDB opens it: it is made as a whole.
struct DataFileTests {
    private let scratch = LMDBDirectory()

    private var file: URL { URL(fileURLWithPath: scratch.path + "/data.mdb") }

    @Test func `a new database replaces the rest of an unfinished one`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        // A process that ended while it made the database has left this file.
        try Data(repeating: 0xEE, count: 100).write(to: URL(fileURLWithPath: scratch.path + "/data.mdb.new"))
        try DataFile.prepare(in: scratch.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["data.mdb"])
        #expect(try Data(contentsOf: file).count == 8_192)
        #expect(throws: Never.self) { _ = try LMDBEnvironment(path: scratch.path, options: .reading) }
    }

    @Test func `an empty file counts as no database and is replaced`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        try Data().write(to: file)
        #expect(!DataFile.exists(in: scratch.path))
        _ = try scratch.open().openDatabase("one", ifMissing: .create)
        #expect(DataFile.exists(in: scratch.path))
    }
}
