import CarillonTestKit
import Foundation

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

    /// The vectors; none if they cannot be read: then the test of their number fails. With `CARILLON_VECTORS` in the
    /// environment only those that it names, separated by commas.
    static let loaded: [BehaviourVector] = {
        let all = (try? Self.all()) ?? []
        guard let names = ProcessInfo.processInfo.environment["CARILLON_VECTORS"]?.split(separator: ",") else {
            return all
        }
        return all.filter { vector in names.contains { $0 == vector.name } }
    }()
}
