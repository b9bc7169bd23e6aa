import CarillonTestKit
import Foundation
import Testing

/// A behaviour vector, by its name.
struct BehaviourVector: Sendable, CustomStringConvertible {
    let name: String
    /// The JSON text of the vector.
    let text: Data

    var description: String { name }

    static func all() throws -> [BehaviourVector] {
        let folder = Vectors.protocolFolder.appendingPathComponent("vectors/behaviour")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
        return try files.flatMap { file -> [BehaviourVector] in
            guard let list = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]] else {
                throw Vectors.Fault.unreadable(file.lastPathComponent)
            }
            return try list.map { vector in
                BehaviourVector(
                    name: vector["name"] as? String ?? "", text: try JSONSerialization.data(withJSONObject: vector))
            }
        }
    }

    /// The vectors; none if they cannot be read, which `theVectorsAreComplete` sees.
    static let loaded = (try? all()) ?? []
}

/// The behaviour vectors of `Protocol/vectors/behaviour`: what every client does, whatever its language.
@Suite(.timeLimit(.minutes(2)))
struct BehaviourTests {
    @Test func theVectorsAreComplete() {
        #expect(BehaviourVector.loaded.count == 120)
        #expect(Set(BehaviourVector.loaded.map(\.name)).count == 120)
    }

    @Test(arguments: BehaviourVector.loaded)
    func theClientPlaysItsPart(vector: BehaviourVector) async throws {
        let problems = try await BehaviourPlayer.play(vector)
        #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
    }
}
