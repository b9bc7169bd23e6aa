package import CarillonCore

/// The apps of tests.
package enum TestApps {
    /// The app that most tests are about.
    package static let game = AppID("com.example.game")!
}
