import CarillonLMDB
import CarillonTestKit
import Foundation

/// The directory of the database of a test, which it opens.
final class LMDBDirectory: Sendable {
    private let directory = TemporaryDirectory()
    var path: String { directory.path }

    func open(mapBytes: Int = 16 << 20) throws -> LMDBEnvironment {
        try LMDBEnvironment(path: path, options: .writing(mapBytes: mapBytes))
    }
}

extension LMDBEnvironment.Options {
    static func writing(mapBytes: Int = 16 << 20) -> Self {
        var options = Self()
        options.mapBytes = mapBytes
        options.createsDirectory = true
        return options
    }

    static var reading: Self {
        var options = Self()
        options.isReadOnly = true
        return options
    }
}

extension Span<UInt8> {
    var bytes: [UInt8] { indices.map { self[$0] } }
}

func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
}

func bytes(_ text: String) -> [UInt8] {
    Array(text.utf8)
}
