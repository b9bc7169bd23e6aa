import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation
import Synchronization
import Testing

@testable import carillon

/// A scripted server that registers devices, and a directory with files to import.
final class ImportPlace: Sendable {
    private let files: TemporaryDirectory
    var directory: URL { URL(fileURLWithPath: files.path) }
    let server: ScriptedServer
    private let taken = Mutex<[Registration]>([])
    private let serving = Mutex<Task<Void, any Error>?>(nil)

    /// Starts the server. `answer` gets an item and the number of items before it; nil ends the server without an
    /// answer to the batch.
    init(_ answer: @escaping @Sendable (Registration, Int) -> RegisterBatchItemAnswer?) async throws {
        files = TemporaryDirectory()
        try files.make()
        server = try await ScriptedServer.start()
        try await serve(answer)
    }

    /// Starts another server in the same place.
    init(after other: ImportPlace, _ answer: @escaping @Sendable (Registration, Int) -> RegisterBatchItemAnswer?)
        async throws
    {
        files = other.files
        server = try await ScriptedServer.start()
        try await serve(answer)
    }

    private func serve(_ answer: @escaping @Sendable (Registration, Int) -> RegisterBatchItemAnswer?) async throws {
        let task = Task { [self] in
            while true {
                let peer = try await server.accept()
                while let (id, batch) = try? await peer.request(RegisterBatchRequest.self) {
                    let items = batch.items
                    var rows: [RegisterBatchItemAnswer] = []
                    for item in items {
                        let item = try item.get()
                        if let row = answer(item, taken.withLock(\.count)) { rows.append(row) }
                        taken.withLock { $0.append(item) }
                    }
                    guard rows.count == items.count else {
                        try await server.stop()
                        return peer.close()
                    }
                    peer.answer(id, rows, to: RegisterBatchRequest.self)
                }
            }
        }
        serving.withLock { $0 = task }
        CleanUp.add { await self.end() }
    }

    /// The registrations that the server received, by token: batches overtake each other.
    var registrations: [Registration] {
        taken.withLock { $0 }.sorted { $0.address.token.bytes.lexicographicallyPrecedes($1.address.token.bytes) }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    func read(_ name: String) -> String? {
        FileManager.default.contents(atPath: directory.appendingPathComponent(name).path)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the state of an import that was interrupted.
    func state(of name: String) throws -> ImportState {
        try #require(try ImportStateFile(path: directory.path + "/\(name).import-state").load())
    }

    func run(_ name: String, _ options: [String] = []) async throws -> CarillonCommandLine.ExitStatus {
        let path = directory.appendingPathComponent(name).path
        let command = try ImportCommand.parse(
            [path, "--app", TestApps.game.name, "--server", "127.0.0.1:\(server.port)", "--json"] + options)
        do {
            try await command.run()
            return .done
        } catch let status as CarillonCommandLine.ExitStatus {
            return status
        }
    }

    private func end() async {
        serving.withLock { $0?.cancel() }
        try? await server.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
