import Testing

@testable import CarillonServer

/// The credentials of a deployment after its files were read again.
struct LoadedCredentialTests {
    private let files: DeploymentFiles

    init() throws { files = try DeploymentFiles() }

    @Test func `an unchanged credential keeps its tokens and a changed one does not`() throws {
        let old = try files.deployment()
        let unchanged = try files.deployment().keepingCredentials(of: old)
        try files.makeKey("main")
        let changed = try files.deployment().keepingCredentials(of: old)
        let sources = try [old, unchanged, changed].map { try #require(tokens($0)) }
        #expect(sources[1] == sources[0])
        #expect(sources[2] != sources[0])
    }

    /// Returns the identity of the source of the tokens of `main`; nil if it has none.
    private func tokens(_ deployment: Deployment) -> ObjectIdentifier? {
        guard case .token(let source) = deployment.credentials["main"]?.authentication else { return nil }
        return ObjectIdentifier(source)
    }
}
