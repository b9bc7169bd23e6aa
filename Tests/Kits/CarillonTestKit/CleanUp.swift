import Synchronization
package import Testing

/// A trait that ends the things that a test has opened, however the test ends: a failed `#require` skips its last
/// lines.
///
/// What a test opens adds its end to the actions of the test, with ``CleanUp/add(_:)``. They run when the test is over,
/// the last one first. A test that ends things itself ends them twice, which must do no harm.
package struct CleanUp: SuiteTrait, TestTrait, TestScoping {
    package typealias Action = @Sendable () async -> Void

    /// The actions of one test.
    private final class Actions: Sendable {
        private let actions = Mutex<[Action]>([])

        func add(_ action: @escaping Action) { actions.withLock { $0.append(action) } }

        func run() async {
            for action in actions.withLock({ $0 }).reversed() { await action() }
        }
    }

    @TaskLocal private static var current: Actions?

    package var isRecursive: Bool { true }

    /// Lets an action run when the test that runs now is over. Does nothing without the trait.
    package static func add(_ action: @escaping Action) { current?.add(action) }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let actions = Actions()
        do {
            try await Self.$current.withValue(actions) { try await function() }
        } catch {
            await actions.run()
            throw error
        }
        await actions.run()
    }
}

extension Trait where Self == CleanUp {
    package static var cleansUp: CleanUp { CleanUp() }
}
