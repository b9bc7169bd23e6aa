import CarillonTestKit
import Foundation
import Testing

/// The code on the pages must be the same as the code that is compiled.
struct CarillonClientDocumentationTests {
    private let root = Vectors.protocolFolder.deletingLastPathComponent()

    /// Returns the blocks of code of a page.
    private func blocks(of path: String) throws -> [String] {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```\n").first
        }
    }

    @Test func `the article has the code that is compiled`() throws {
        let source = try String(
            contentsOf: root.appendingPathComponent(
                "Tests/Client/CarillonClientTests/Documentation/GettingStarted.swift"),
            encoding: .utf8)
        let compiled = source.components(separatedBy: "// ARTICLE: begin\n").dropFirst().map { part in
            let lines = (part.components(separatedBy: "    // ARTICLE: end").first ?? "")
                .split(separator: "\n", omittingEmptySubsequences: false)
            return lines.map { String($0.trimmingPrefix("    ")) }.joined(separator: "\n")
        }
        #expect(compiled.count == 8)
        #expect(try blocks(of: "Sources/Client/CarillonClient/CarillonClient.docc/GettingStarted.md") == compiled)
    }

    @Test(arguments: [
        "Connect", "Register", "Subscribe", "Send", "Languages", "LookUp", "Schedule", "Follow",
    ])
    func `the readme shows the example`(name: String) throws {
        let file = root.appendingPathComponent("Protocol/clients/swift/Sources/carillon-examples/\(name).swift")
        let source = try String(contentsOf: file, encoding: .utf8)
            .replacing("import CarillonClient\n\n", with: "", maxReplacements: 1)
        #expect(try blocks(of: "Protocol/clients/swift/README.md").contains(source))
    }

    /// Returns the Swift files below a folder, or the file itself.
    private func swiftFiles(at path: String) -> [URL] {
        let place = root.appendingPathComponent(path)
        let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?.allObjects ?? []
        return ([place] + found.compactMap { $0 as? URL }).filter { $0.pathExtension == "swift" }
    }

    /// Returns the lines of a text without what they are indented by, and without empty lines.
    private func lines(of text: some StringProtocol) -> String {
        text.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    @Test(arguments: [
        "Sources/Client/CarillonClient", "Sources/Domain/CarillonCore/Messages/Notification/PushNotification.swift",
        "Sources/Domain/CarillonCore/Audience/Audience.swift",
    ])
    func `doc comments have the examples that are compiled`(path: String) throws {
        let compiled = lines(
            of: try String(
                contentsOf: root.appendingPathComponent(
                    "Tests/Client/CarillonClientTests/Documentation/DocCommentExamples.swift"), encoding: .utf8))
        var count = 0
        for file in swiftFiles(at: path) {
            let comments = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .map { $0.trimmingPrefix(while: \.isWhitespace) }
                .filter { $0.hasPrefix("///") }.map { $0.dropFirst(3) }.joined(separator: "\n")
            for part in comments.components(separatedBy: "```swift\n").dropFirst() {
                count += 1
                let example = lines(of: part.components(separatedBy: "```")[0])
                #expect(compiled.contains(example), "\(file.lastPathComponent): \(example)")
            }
        }
        #expect(count > 0)
    }

    @Test func `each step of the tutorial adds lines up to the program that is compiled`() throws {
        let catalog = root.appendingPathComponent("Sources/Client/CarillonClient/CarillonClient.docc/Resources")
        let source = try String(
            contentsOf: root.appendingPathComponent(
                "Tests/Client/CarillonClientTests/Documentation/FirstMessage.swift"),
            encoding: .utf8)
        let body = try #require(source.components(separatedBy: "// TUTORIAL: begin\n").last)
            .components(separatedBy: "    // TUTORIAL: end")[0].split(separator: "\n", omittingEmptySubsequences: false)
        var program = ["import CarillonClient", ""]
        program += body.map { String($0.trimmingPrefix("    ")) }
        for step in (1...4).reversed() {
            let text = try String(
                contentsOf: catalog.appendingPathComponent("first-message-\(step).swift"), encoding: .utf8)
            let lines = text.components(separatedBy: "\n")
            if step == 4 { #expect(lines == program) }
            // Every line is in the next step, in the same order.
            var rest = program[...]
            for line in lines {
                let place = rest.firstIndex(of: line)
                #expect(place != nil, "step \(step): \(line)")
                rest = rest[(place.map { $0 + 1 } ?? rest.endIndex)...]
            }
            program = lines
        }
    }
}
