import CarillonCore
import CarillonRegistryTestKit
import CarillonWire
import Foundation
import Testing

@testable import CarillonRegistry

/// A directory with a log that lives as long as the test that holds it.
final class WALTestDirectory {
    private let scratch = RegistryDirectory()
    let epoch = UUIDBytes(high: 1, low: 2)

    init() {
        // Why try?: a test without its directory fails by itself.
        try? FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    }

    var path: String { scratch.path }
    var file: URL { URL(fileURLWithPath: path + "/data.wal") }

    /// Returns the bytes of the file up to the end of its last record.
    func contents() throws -> Data { try logContents(at: path) }

    func open(epoch: UUIDBytes? = nil, stored: StoredWAL = StoredWAL()) throws -> WriteAheadLog {
        try WriteAheadLog(directory: WALDirectory(path: path), epoch: epoch ?? self.epoch, stored: stored)
    }

    /// Opens a log that is ready for records.
    func openPrepared(after lsn: UInt64 = 0, state: UUIDBytes? = nil) throws -> WriteAheadLog {
        let log = try open(stored: StoredWAL(position: WALPosition(lsn: lsn, state: state)))
        try log.prepare()
        return log
    }

    /// Returns the tokens of the records after an LSN, record by record.
    func replayed(epoch: UUIDBytes? = nil, after lsn: UInt64 = 0, state: UUIDBytes? = nil) throws -> [[UInt8]] {
        let position = WALPosition(lsn: lsn, state: state)
        return try open(epoch: epoch, stored: StoredWAL(position: position)).replayed(after: position)
    }

    func scan() throws -> WALScan {
        try #require(WALInspection(WALDirectory(path: path), epoch: epoch, stored: StoredWAL(), isReadOnly: true).scan)
    }

    /// Returns the state after a record, by its number from 1 on.
    func state(ofRecord number: Int) throws -> UUIDBytes {
        let file = try #require(try WALDirectory(path: path).openLog(isReadOnly: true))
        let header = try #require(WALHeader(try file.read(WALHeader.Version.current.headerBytes, at: 0)))
        return try #require(
            try WALRecord(
                at: WALRecord.alignment * number, in: file, version: .current, secret: header.secret,
                count: try file.byteCount)
        ).state
    }
}

/// Returns the bytes of the log of a directory up to the end of its last record, without the room after it.
func logContents(at path: String) throws -> Data {
    let directory = try WALDirectory(path: path)
    let file = try #require(try directory.openLog(isReadOnly: true))
    let header = try #require(WALHeader(try file.read(WALHeader.Version.current.headerBytes, at: 0)))
    let count = try file.byteCount
    var end = WALRecord.alignment
    for offset in stride(from: end, to: count, by: WALRecord.alignment) {
        let record = try WALRecord(at: offset, in: file, version: .current, secret: header.secret, count: count)
        guard let record else { continue }
        end = offset + WALRecord.prefixBytes + WALRecord.bodyHeadBytes(.current) + record.frames.count
    }
    return Data(try file.read(end, at: 0))
}

extension WriteAheadLog {
    /// Returns the tokens of the records after a position, record by record.
    func replayed(after position: WALPosition = WALPosition()) throws -> [[UInt8]] {
        _ = try findMissingRecords(after: position)
        var records: [[UInt8]] = []
        try replay(after: position) { record in
            records.append(
                try changes(in: record.frames).compactMap { change in
                    guard case .register(let registration, _) = change else { return nil }
                    return registration.address.token.bytes.first
                })
        }
        return records
    }
}

/// Encodes registrations of these tokens as frames.
func frames(_ tokens: UInt8...) -> [UInt8] {
    var frames = FrameWriter()
    for token in tokens { ChangeRecordCodec.append(.change(.register(token)), to: &frames) }
    return frames.bytes
}

/// Decodes the changes of a record, those that take effect together one by one.
func changes(in frames: ArraySlice<UInt8>) throws -> [Change] {
    try ChangeRecordCodec.mutations(in: frames).flatMap { mutation -> [Change] in
        switch mutation {
        case .change(let change): [change]
        case .changes(let together): together
        case .sweep: []
        }
    }
}
