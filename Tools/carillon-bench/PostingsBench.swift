import ArgumentParser
import CarillonCore
import CarillonRegistry

/// What the postings of a topic take in the database of a server that has stopped.
struct PostingsBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postings",
        abstract: "Says what the postings of a topic take on the disk."
    )

    @Option(help: "Directory of the database.") var data: String
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "The topic.") var topic: String

    func run() throws {
        guard let app = AppID(app), let topic = TopicName(topic) else { throw ValidationError("not an app or a topic") }
        let registry = try LMDBRegistry(path: data)
        defer { registry.close() }
        let footprint = try registry.postingSizes(of: .topic(topic), app: app)
        print(
            "{\"devices\": \(footprint.devices), \"chunks\": \(footprint.chunks), "
                + "\"bytes\": \(footprint.bytes), \"pages\": \(footprint.pages)}")
    }
}
