"""Plain data that everything else exchanges: findings, outcomes, versions, the project view."""
