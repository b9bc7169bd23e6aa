import ArgumentParser
import CarillonCore
import CarillonRegistry

/// The size of a topic's postings in the database of a stopped server.
struct PostingsBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postings",
        abstract: "Prints the size of a topic's postings on the disk."
    )

    @Option(help: "Directory of the database.") var data: String
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "The topic.") var topic: String

    func run() throws {
        guard let app = AppID(app), let topic = TopicName(topic) else { throw ValidationError("not an app or a topic") }
        var options = LMDBRegistry.Options()
        options.settings = nil
        let registry = try LMDBRegistry(path: data, options: options)
        defer { registry.close() }
        let sizes = try registry.postingSizes(of: .topic(topic), app: app)
        print(
            "{\"devices\": \(sizes.devices), \"chunks\": \(sizes.chunks), "
                + "\"bytes\": \(sizes.bytes), \"pages\": \(sizes.pages)}")
    }
}
