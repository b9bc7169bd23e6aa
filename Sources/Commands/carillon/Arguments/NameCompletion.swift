import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Dispatch
import Synchronization

/// Completes names that only the server knows. The shell runs the program for it, with the words typed so far.
enum NameCompletion {
    static let topics = CompletionKind.custom { words, _, prefix in
        names(for: words) { client, app in
            try await client.topics(of: app, prefix: prefix, after: nil, limit: maximumNames).rows.map(\.topic.name)
        }
    }

    static let groups = CompletionKind.custom { words, _, prefix in
        names(for: words) { client, app in
            try await client.groups(of: app, prefix: prefix, after: nil, limit: maximumNames).rows.map(\.group.name)
        }
    }

    /// The completion of the numbers of the last messages of the app.
    static let messages = CompletionKind.custom { words, _, prefix in
        names(for: words) { client, app in
            try await client.messages(of: app, before: nil, limit: maximumNames).rows.map { "\($0.id)" }
                .filter { $0.hasPrefix(prefix) }
        }
    }

    /// The maximum number of names that are completed; a shell asks before it shows more.
    private static let maximumNames = 100
    /// The time for the answer, because the user waits for the shell: without an answer by then there is no completion.
    private static let timeout = DispatchTimeInterval.seconds(1)

    /// The options that say which server and which app are meant.
    private struct Scope: ParsableArguments {
        @OptionGroup var app: AppOption
        @OptionGroup var server: ServerOptions

        private static let optionsWithValue = [
            "--app", "--server", "--api-key-file", "--ca", "--certificate", "--certificate-key", "--config",
            "--context",
        ]

        /// Returns the options of the scope among the words of a command line.
        static func options(in words: [String]) -> [String] {
            var options: [String] = []
            for (index, word) in words.enumerated() {
                if word == "--plaintext" || optionsWithValue.contains(where: { word.hasPrefix($0 + "=") }) {
                    options.append(word)
                } else if optionsWithValue.contains(word), words.indices.contains(index + 1) {
                    options += [word, words[index + 1]]
                }
            }
            return options
        }
    }

    /// Returns the names that `ask` gets from the server; none if anything fails, because an error would disturb the
    /// line that is typed.
    private static func names(
        for words: [String], _ ask: @escaping @Sendable (CarillonClient, AppID) async throws -> [String]
    ) -> [String] {
        // Why try?: without a server, or with options that are wrong, there is nothing to complete.
        guard let scope = try? Scope.parse(Scope.options(in: words)),
            let app = try? scope.server.app(scope.app),
            var configuration = try? scope.server.configuration()
        else { return [] }
        configuration.maximumRounds = 1
        let client = CarillonClient(configuration: configuration)
        let done = DispatchSemaphore(value: 0)
        let names = Names()
        Task.detached {
            // Why try?: an error would disturb the line that is typed.
            names.put((try? await ask(client, app)) ?? [])
            done.signal()
        }
        return done.wait(timeout: .now() + timeout) == .success ? names.take() : []
    }

    /// The names, on their way from a task.
    private final class Names: Sendable {
        private let names = Mutex<[String]>([])

        func put(_ found: [String]) { names.withLock { $0 = found } }
        func take() -> [String] { names.withLock { $0 } }
    }
}
