import ArgumentParser
import CarillonCore
import Glibc

/// The program that opens data directories as a start of the server does, one after the other, and prints their
/// contents. `Tools/prove powercut` compares these with the answers of the server.
///
/// Standard input has a path in each line. For each there are lines with fields between tabs, and the line `end`:
///
///     refused REASON              the server would not start, and there is no other line
///     replayed                    the write-ahead log had changes that the database lacked
///     finding TEXT                as `carillon-dump verify` reports it
///     device TOKEN ID STATE LOCALE MUTED TOPICS GROUPS
///     tombstone TOKEN
///     group NAME MUTED TOPICS     a group with topics or a mute
///     message ID STATE TOTAL RECIPIENTS       each recipient as DEVICE=OUTCOME
///     receipts MESSAGE KIND DEVICES
///     subscriber NAME EVENT       the last event that it has acknowledged
///     event NUMBER                the newest event
@main
struct CarillonRecover: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-recover",
        abstract: "Opens data directories as a server does and prints what they have; for Tools/prove powercut."
    )

    @Option(help: "The app whose devices and messages are printed.", transform: Self.app)
    var app: AppID

    @Option(help: "The principal of the subscribers to events.")
    var principal = "demo"

    @Option(name: .customLong("subscriber"), help: "The name of a subscriber to events; repeatable.")
    var subscriberNames: [String] = []

    func run() throws {
        let subscribers = subscriberNames.map { EventSubscriber(principal: principal, name: $0) }
        while let path = readLine() {
            var state = RecoveredState(app: app, subscribers: subscribers)
            state.read(path)
            print(state.text, terminator: "")
            // The standard output is buffered if it is a pipe. nil is every stream: `stdout` is a shared variable of C.
            fflush(nil)
        }
    }

    private static func app(_ name: String) throws -> AppID {
        guard let app = AppID(name) else { throw ValidationError("\(name) is not an app.") }
        return app
    }
}
